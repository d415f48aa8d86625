import { beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { admitRun } from '../../engine/lifecycle/admit-run.ts'
import { closeRun } from '../../engine/lifecycle/close-run.ts'
import { getRequest } from '../detail/get-request.ts'
import { requestContent } from '../detail/request-content.ts'
import type { RequestDetailRecord } from './request-record.ts'
import { trailOf } from '#test/harness/fixtures/trail.ts'

const worker = deskWorker
  .replace('zones:', 'shell: { default: ask }\nzones:')
  .replace(
    '  - { name: scratch',
    '  - { name: quiet, root: ./quiet, mode: ro, approval: { read: ask } }\n  - { name: scratch',
  )
const hand = `---
name: hand
model: openai-compatible:scripted-by-the-test
zones:
  - { name: scratch, root: ./scratch, mode: rw, approval: { write: preApproved } }
---
Write.
`

const desk = disposeAfterTests(await openAgentDesk())
const overlays = 'overlays:\n  - { when: { path: "pay/**" }, approval: ask }\nrights:'
await desk.activate({
  'workers/hand.md': hand,
  'workers/scribe.md': worker.replace(
    'zones:',
    'workers: [hand]\ntools: { call_worker: { approval: preApproved } }\nzones:',
  ),
  'countersign.yaml': deskConfig.replace('rights:', overlays),
})

beforeEach(async () => {
  desk.steps.length = 0
  await desk.write('scratch/run.sh', 'echo theirs\n')
})

const running = (...args: string[]) => ({ tool: 'exec', input: { file: 'sh', args } })
const writing = (path: string, content = 'echo mine\n') => ({
  tool: 'write_file',
  input: { path, content },
})

/** The request about the last call of a turn, as Grace sees it. */
async function detailOf(runId: string, turn: number): Promise<RequestDetailRecord> {
  const calls = await desk.calls(runId, turn)
  const { caller } = desk.people.grace
  return getRequest(desk.api, caller, { request: calls.at(-1)?.requestId ?? '' })
}

async function content(request: string, file: string): Promise<string> {
  const { caller } = desk.people.grace
  return (await requestContent(desk.api, caller, { request, file })).bytes.toString('utf8')
}

// Rules: product.md 26
describe('a file that a command names', () => {
  test('is kept as it was when the command was asked about, and reading it is recorded', async () => {
    await desk.write('scratch/data.bin', 'a\0b')
    desk.say({ calls: [running('scratch/run.sh', 'scratch/data.bin', 'scratch/none')] })
    const { runId } = await desk.startTurn()
    const request = await detailOf(runId, 1)
    expect(request.namedFiles).toMatchObject([
      { path: 'scratch/run.sh', bytes: 12, kind: 'text', writtenBy: null },
      { path: 'scratch/data.bin', bytes: 3, kind: 'binary', writtenBy: null },
    ])
    await desk.write('scratch/run.sh', 'echo changed\n')
    expect(await content(request.id, 'scratch/run.sh')).toBe('echo theirs\n')
    expect(await content(request.id, 'scratch/data.bin')).toBe('a\0b')
    const [event] = await trailOf(desk.database.db, { request: request.id }, 'content.revealed')
    const hash = request.namedFiles[0]?.hash
    expect(event?.detail).toMatchObject({ file: 'scratch/run.sh', content: hash })
  })

  test('is named but never copied when reading it asks by itself, or when it is too large', async () => {
    for (const path of ['scratch/.env', 'quiet/q.txt', 'pay/roll.csv']) await desk.write(path, 'A')
    await desk.write('scratch/large.txt', 'x'.repeat(1024 * 1024 + 1))
    const names = ['scratch/.env', 'quiet/q.txt', 'pay/roll.csv', 'scratch/large.txt']
    desk.say({ calls: [running(...names)] })
    const { runId } = await desk.startTurn()
    const request = await detailOf(runId, 1)
    expect(request.namedFiles.map(({ path, kind }) => [path, kind])).toEqual([
      ['scratch/.env', 'withheld'],
      ['quiet/q.txt', 'withheld'],
      ['pay/roll.csv', 'withheld'],
      ['scratch/large.txt', 'large'],
    ])
    for (const name of names) {
      expect((await refusal(content(request.id, name))).code).toBe('not_found')
    }
    const hashes = request.namedFiles.map(({ hash }) => hash)
    const kept = await desk.database.db
      .selectFrom('content')
      .select('hash')
      .where('hash', 'in', hashes)
      .execute()
    expect(kept).toEqual([])
  })

  test('gives access to no other content: not under another name, nor for another kind of call', async () => {
    desk.say({ calls: [running('scratch/run.sh')] }, { calls: [writing('notes/a.md')] })
    const { runId } = await desk.startTurn()
    const command = await detailOf(runId, 1)
    for (const name of ['notes/a.md', './scratch/run.sh', 'toString', '']) {
      expect((await refusal(content(command.id, name))).code).toBe('not_found')
    }
    const stranger = { type: 'person', id: crypto.randomUUID(), name: 'Nobody' } as const
    const unseen = requestContent(
      desk.api,
      { actor: stranger, channel: 'dashboard' },
      { request: command.id, file: 'scratch/run.sh' },
    )
    expect((await refusal(unseen)).code).toBe('not_found')
  })
})

describe('a file that a command names and that the run wrote', () => {
  test('is marked with the newest call that wrote it, whoever allowed that', async () => {
    desk.say(
      { calls: [writing('scratch/run.sh', 'echo first\n'), writing('scratch/run.sh')] },
      { calls: [running('scratch/run.sh', 'scratch/other.sh')] },
    )
    await desk.write('scratch/other.sh', 'echo other\n')
    const runId = await desk.start()
    await desk.perform(await desk.turn(runId, 1))
    const [, second] = await desk.calls(runId, 1)
    await desk.turn(runId, 2)
    const request = await detailOf(runId, 2)
    expect(request.namedFiles).toMatchObject([
      {
        path: 'scratch/run.sh',
        writtenBy: { callId: second?.id, runId, worker: 'scribe', tool: 'write_file', turn: 1 },
      },
      { path: 'scratch/other.sh', writtenBy: null },
    ])
    expect(request.namedFiles[0]?.writtenBy?.state).toBe('done')
    expect(await content(request.id, 'scratch/run.sh')).toBe('echo mine\n')
  })

  test('is also marked when a child run wrote it', async () => {
    desk.say({ calls: [{ tool: 'call_worker', input: { worker: 'hand', input: 'Write it' } }] })
    const runId = await desk.start()
    const [waits] = await desk.perform(await desk.turn(runId, 1))
    const childId = waits?.kind === 'wait' ? (waits.requestIds[0] ?? '') : ''
    await admitRun(desk.api, { runId: childId })
    desk.say({ calls: [writing('scratch/run.sh')] })
    await desk.perform(await desk.turn(childId, 1))
    desk.say({ text: 'Written.' })
    await desk.turn(childId, 2)
    await closeRun(desk.api, { runId: childId })
    const [delegation] = await desk.calls(runId, 1)
    await desk.execute(delegation?.id ?? '')
    desk.say({ calls: [running('scratch/run.sh')] })
    await desk.turn(runId, 2)
    const [file] = (await detailOf(runId, 2)).namedFiles
    expect(file?.writtenBy).toMatchObject({ runId: childId, worker: 'hand', state: 'done' })
  })

  test('in the same turn is shown with its future content, and the request names the call that it waits for', async () => {
    desk.say({ calls: [writing('notes/do.md'), running('notes/do.md')] })
    const { runId } = await desk.startTurn()
    const [write] = await desk.calls(runId, 1)
    const request = await detailOf(runId, 1)
    expect(request.namedFiles).toMatchObject([
      { path: 'notes/do.md', kind: 'text', writtenBy: { callId: write?.id, state: 'waiting' } },
    ])
    expect(await content(request.id, 'notes/do.md')).toBe('echo mine\n')
  })

  test('is not marked for a write that was denied, that came later, or that belongs to another task', async () => {
    await desk.write('notes/do.md', 'echo theirs\n')
    desk.say(
      { calls: [writing('notes/do.md')] },
      { calls: [running('notes/do.md'), writing('notes/do.md')] },
    )
    const { runId, turn } = await desk.startTurn()
    const [write] = await desk.calls(runId, 1)
    await desk.decide(desk.people.grace, write?.requestId ?? '', { decision: 'deny' })
    await desk.perform(turn)
    desk.steps.unshift({ calls: [writing('scratch/run.sh')] })
    await desk.perform(await desk.turn(await desk.start(), 1))
    await desk.turn(runId, 2)
    const [command] = await desk.calls(runId, 2)
    const request = await getRequest(desk.api, desk.people.grace.caller, {
      request: command?.requestId ?? '',
    })
    expect(request.namedFiles).toMatchObject([{ path: 'notes/do.md', writtenBy: null }])
  })
})
