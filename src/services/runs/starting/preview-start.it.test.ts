import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import type { TestPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { previewStart, type StartPreview } from './preview-start.ts'
import { startRun } from './start-run.ts'

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({
  'countersign.yaml': deskConfig.replace(
    'defaults:',
    '  alone: { team: operators }\n  both: { team: platform }\ndefaults:',
  ).concat(`routing:
  - { when: { tool: delete_file }, queue: both, quorum: { allOf: [{ team: platform, count: 1 }, { team: operators, count: 1 }] } }
`),
  'workers/other.md': deskWorker
    .replace('name: scribe', 'name: other')
    .replace('write: ask, delete: blocked', 'write: ask, delete: ask'),
  'workers/lonely.md': deskWorker.replace('name: scribe', 'name: lonely\nqueue: alone'),
  'workers/theirs.md': deskWorker.replace('name: scribe', 'name: theirs\nstartableBy: [operators]'),
  'workers/form.md': deskWorker.replace(
    'name: scribe',
    'name: form\ninput: { type: object, required: [version], properties: { version: { type: string } } }',
  ),
})

async function preview(who: TestPerson, name: string): Promise<StartPreview> {
  const policy = await desk.api.policies.inForce()
  const worker = policy.workers.get(name)
  if (worker === undefined) throw new Error(`there is no worker ${name}`)
  return previewStart(desk.api, who.caller, policy, worker)
}

// Rules: product.md 22, 42
test('names the people who would be asked, without the one who starts the run', async () => {
  const { lines, queues, refusal } = await preview(desk.people.ada, 'scribe')
  expect(lines.find(({ text }) => text.startsWith('Write and edit files in notes/'))).toMatchObject(
    {
      approval: 'ask',
      queues: ['platform'],
    },
  )
  expect(
    queues.map(({ name, quorum, people, problem }) => [
      name,
      quorum,
      people.map((person) => person.name),
      problem,
    ]),
  ).toEqual([['platform', '1 of platform', ['Grace', 'Linus'], null]])
  expect(refusal).toBeNull()
})

test('lists the queues of every worker by name', async () => {
  const names = async (worker: string): Promise<string[]> =>
    (await preview(desk.people.linus, worker)).queues.map(({ name }) => name)
  // Its first line that asks is about writing, which is for the queue platform.
  expect(await names('other')).toEqual(['both', 'platform'])
})

test('says why the start would be refused, as the start itself does', async () => {
  const lonely = await preview(desk.people.olga, 'lonely')
  const refused = await refusal(
    startRun(desk.api, desk.people.olga.caller, { worker: 'lonely', input: 'Go' }),
  )
  expect(lonely.refusal).toEqual({ code: 'unreachable_approvers', detail: refused.message })
  expect(lonely.queues).toMatchObject([{ name: 'alone', people: [], problem: refused.message }])
  expect((await preview(desk.people.ada, 'lonely')).refusal).toBeNull()
  expect((await preview(desk.people.ada, 'theirs')).refusal).toMatchObject({ code: 'forbidden' })
})

test('a run is started only with an input that its worker’s schema accepts', async () => {
  const start = (input: string | { [key: string]: string | number }) =>
    startRun(desk.api, desk.people.ada.caller, { worker: 'form', input })
  expect(await start({ version: '1.2' })).toMatchObject({ worker: 'form' })
  for (const input of ['Write 1.2', {}, { version: 2 }]) {
    const before = await desk.database.db.selectFrom('run').select('id').execute()
    const refused = await refusal(start(input))
    expect([refused.code, refused.facts['field']]).toEqual([
      'invalid_request',
      input === 'Write 1.2' ? 'input' : 'input.version',
    ])
    const after = await desk.database.db.selectFrom('run').select('id').execute()
    expect(after).toHaveLength(before.length)
  }
})

test('a run calls such a worker only with an input that fits, and gets the schema', async () => {
  await desk.activate({
    'workers/boss.md': deskWorker.replace('name: scribe', 'name: boss\nworkers: [form]'),
  })
  desk.say({
    calls: [
      { tool: 'call_worker', input: { worker: 'form', input: 'Write 1.2' } },
      { tool: 'call_worker', input: { worker: 'form', input: { version: '1.2' } } },
    ],
  })
  const { runId } = await desk.startTurn({ worker: 'boss' })
  const [wrong, right] = await desk.calls(runId, 1)
  expect([wrong?.verdict, right?.verdict]).toEqual(['error', 'ask'])
  expect(wrong?.text).toContain('input must be an object; runs of form are started with: {"type"')
})
