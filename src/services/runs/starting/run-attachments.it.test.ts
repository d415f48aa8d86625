import { symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import type { TestPerson } from '#test/harness/fixtures/people.ts'
import { getRun } from '../reading/get-run.ts'
import { startRun } from './start-run.ts'

/** A worker that reads `notes` without approval, and nothing else. */
const narrow = deskWorker.replace('name: scribe', 'name: narrow').replace(
  /zones:[^]*---\n/,
  `zones:
  - { name: notes, root: ./notes, mode: ro }
  - { name: quiet, root: ./quiet, mode: ro, approval: { read: ask } }
  - { name: shut, root: ./shut, mode: ro, approval: { read: { blocked: "not for agents" } } }
---
`,
)
/** A worker that attaches files of `open` without approval, and those of `asks` with it. */
const sharer = (name: string, more = ''): string =>
  deskWorker.replace('name: scribe', `name: ${name}\nworkers: [narrow]${more}`).replace(
    /zones:[^]*---\n/,
    `zones:
  - { name: open, root: ./${name}/open, mode: ro, approval: { share: preApproved } }
  - { name: asks, root: ./${name}/asks, mode: ro }
---
`,
  )

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({
  'countersign.yaml': deskConfig.replace(
    'rights:',
    'overlays:\n  - { when: { path: "notes/pay*" }, approval: ask }\nrights:',
  ),
  'workers/narrow.md': narrow,
  'workers/hands.md': sharer('hands'),
  'workers/theirs.md': sharer('theirs', '\nstartableBy: [operators]'),
  'workers/stranger.md': sharer('stranger').replace('workers: [narrow]', 'workers: [hands]'),
})
for (const path of ['notes/a.md', 'notes/pay.md', 'quiet/q.md', 'shut/s.md', 'notes/.env'])
  await desk.write(path, `text of ${path}\n`)
for (const name of ['hands', 'theirs', 'stranger']) {
  await desk.write(`${name}/open/o.md`, `text of ${name}\n`)
  await desk.write(`${name}/asks/o.md`, 'asks\n')
}
await desk.write('elsewhere/e.md', 'elsewhere\n')
await desk.write('.countersign/key', 'the key\n')
await symlink(join(desk.root, 'elsewhere/e.md'), join(desk.root, 'notes/link.md'))
await symlink(join(desk.root, 'elsewhere'), join(desk.root, 'notes/there'))

async function start(attachments: string[], who: TestPerson = desk.people.ada, key?: string) {
  const keyed = key === undefined ? {} : { idempotencyKey: key }
  const asking = { worker: 'narrow', input: 'Shorten it', attachments, ...keyed }
  return startRun(desk.api, who.caller, asking)
}

// Rules: product.md 23
describe('a run that is started with files', () => {
  test('gets their text as quoted data, and its page lists them', async () => {
    const { id } = await start(['./notes/a.md', 'hands/open/o.md'])
    desk.steps.length = 0
    desk.modelRequests.length = 0
    await desk.turn(id, 1)
    const [message] = desk.modelRequests[0]?.messages ?? []
    expect(message).toMatchObject({ role: 'user' })
    const text = message?.role === 'user' ? message.text : ''
    expect(text).toContain('Shorten it\n\nAttached files:\n- notes/a.md (19 bytes, sha256:')
    expect(text).toContain('its content as quoted data: "text of notes/a.md\\n"')
    expect(text).toContain('"text of hands\\n"')
    const run = await getRun(desk.api, desk.people.ada.caller, id)
    expect(run.attachments).toMatchObject([
      { path: 'notes/a.md', bytes: 19, hash: expect.stringMatching(/^sha256:/), given: true },
      { path: 'hands/open/o.md', given: true },
    ])
    expect(run.input).toBe('Shorten it')
  })

  test('gets only the names of those that are not text, or too large', async () => {
    await desk.write('notes/b.bin', 'a\0b')
    await desk.write('notes/long.md', 'x'.repeat(65 * 1024))
    const { id } = await start(['notes/b.bin', 'notes/long.md', 'notes/a.md'])
    const run = await getRun(desk.api, desk.people.ada.caller, id)
    expect(run.attachments.map(({ given }) => given)).toEqual([false, false, true])
  })

  test('gets the files that a worker shares only when the starter may start that worker too', async () => {
    expect((await refusal(start(['theirs/open/o.md']))).code).toBe('invalid_request')
    expect(await start(['theirs/open/o.md'], desk.people.olga)).toMatchObject({ worker: 'narrow' })
  })

  test.each([
    ['that is not there', 'notes/none.md', 'invalid_request', /attachments\.1: .*does not exist/],
    ['that is a folder', 'notes', 'invalid_request', /director|folder/],
    ['outside the workspace', '../notes/a.md', 'invalid_request', /attachments\.1/],
    ['by an absolute path', '/etc/passwd', 'invalid_request', /attachments\.1/],
    ['with a hidden character', 'a\u202eb', 'invalid_request', /attachments\.1/],
    ['without a name', '', 'invalid_request', /names no file/],
    ['that is attached twice', './notes/a.md', 'invalid_request', /twice/],
    ['that is a link', 'notes/link.md', 'invalid_request', /link/],
    ['behind a link', 'notes/there/e.md', 'invalid_request', /link|director/],
    ['of the data folder', '.countersign/key', 'invalid_request', /attachments\.1/],
    ['in no zone', 'elsewhere/e.md', 'invalid_request', /no zone of narrow.*no worker/],
    ['that reading asks for', 'quiet/q.md', 'invalid_request', /zone quiet: read asks/],
    ['that an overlay asks for', 'notes/pay.md', 'invalid_request', /overlay 1/],
    ['of keys', 'notes/.env', 'invalid_request', /key or environment file/],
    ['whose reading is blocked', 'shut/s.md', 'policy_blocked', /not for agents/],
    ['that sharing asks for', 'hands/asks/o.md', 'invalid_request', /zone asks: share asks/],
    ['of a worker that may not call it', 'stranger/open/o.md', 'invalid_request', /no worker/],
  ])('is not started with a file %s', async (_, path, code, detail) => {
    const before = await desk.database.db.selectFrom('run').select('id').execute()
    const refused = await refusal(start(['notes/a.md', path]))
    expect([refused.code, refused.facts['field']]).toEqual([code, 'attachments.1'])
    expect(refused.message).toMatch(detail)
    expect(await desk.database.db.selectFrom('run').select('id').execute()).toHaveLength(
      before.length,
    )
  })

  test('is not started with more files than the limit', async () => {
    const many = Array.from({ length: 51 }, (_, index) => `notes/${index}.md`)
    expect((await refusal(start(many))).message).toContain('at most 50')
  })

  test('is the same one when the start is repeated, though the file is gone by then', async () => {
    await desk.write('notes/brief.md', 'brief\n')
    const first = await start(['notes/brief.md'], desk.people.ada, 'again')
    await unlink(join(desk.root, 'notes/brief.md'))
    expect(await start(['notes/brief.md'], desk.people.ada, 'again')).toEqual(first)
    expect((await refusal(start(['notes/brief.md']))).code).toBe('invalid_request')
  })
})
