import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import type { OutputStream } from '#domain/tools/tool-result.ts'
import { putContent } from '#store/content/content.ts'
import { maxLiveBytes, putLiveOutput } from '#store/content/live-output.ts'
import { testSandbox } from '#tools/commands/commands.fixture.ts'
import { readCallOutput, type CallOutput } from '../../runs/reading/read-call-output.ts'
import { beginRunStream, readRunStream } from '../../runs/streaming/read-run-stream.ts'
import { parseCursor, type StreamCursor } from '../../runs/streaming/stream-cursor.ts'
import { readTranscript } from '../../runs/reading/transcript.ts'
import { executeCall } from './execute-call.ts'
import { settleUnknown } from './settle-unknown.ts'

const until = { timeout: 90_000, interval: 50 }
const desk = disposeAfterTests(await openAgentDesk(testSandbox))

beforeAll(async () => {
  await mkdir(join(desk.root, 'scratch'))
  await mkdir(join(desk.root, 'notes'))
  await desk.activate({
    'workers/scribe.md': deskWorker.replace('zones:', 'shell: { default: ask }\nzones:'),
  })
})

interface Command {
  readonly runId: string
  readonly callId: string
  readonly ended: Promise<unknown>
}

let started = 0
/** An approved script that runs; `wait N` in it waits for `go(N)`. */
async function running(script: string, stop = new AbortController()): Promise<Command> {
  started += 1
  const own = `go-${started}`
  const wait = `wait() { while [ ! -e ${own}.$1 ]; do sleep 0.05; done; }\n`
  const runId = await desk.start()
  const call = await proposeCall(desk, runId, 1, {
    tool: 'shell',
    input: { command: wait + script, cwd: 'scratch' },
  })
  await desk.decide(desk.people.grace, call.requestId)
  const callId = call.id
  return { runId, callId, ended: executeCall(desk.worker, { callId, signal: stop.signal }) }
}

async function go(step: number): Promise<void> {
  await desk.write(`scratch/go-${started}.${step}`, '')
}

async function read(callId: string, stream: OutputStream, offset = 0): Promise<CallOutput> {
  return readCallOutput(desk.api, desk.people.ada.caller, { callId, stream, offset })
}

async function outputOf(callId: string, stream: OutputStream, offset = 0): Promise<string> {
  return (await read(callId, stream, offset)).bytes.toString()
}

async function liveOf(runId: string): Promise<unknown> {
  const items = await readTranscript(desk.api, desk.people.ada.caller, runId)
  return items.flatMap(({ calls }) => calls).map(({ live }) => live)
}

async function rows(callId: string): Promise<number> {
  const found = await rowsOf(desk.database.db, 'live_output', { call_id: callId }, 'stream')
  return found.length
}

async function eventsOf(runId: string): Promise<number> {
  const found = await desk.database.db.selectFrom('event').select(['type', 'subject']).execute()
  return found.filter(({ subject }) => subject['runId'] === runId).length
}

describe.skipIf(!testSandbox.works)('the output of a running command', () => {
  test('is read while it runs, each reader continuing at its own position, and is removed when the result is there', async () => {
    const { callId, ended, runId } = await running(
      'echo one; wait 1; echo two; echo no >&2; wait 2',
    )
    await expect.poll(() => outputOf(callId, 'stdout'), until).toBe('one\n')
    expect(await read(callId, 'stdout')).toMatchObject({ state: 'running', attempt: 1, start: 0 })
    expect(await liveOf(runId)).toEqual([{ callId, state: 'running', stdout: 4, stderr: 0 }])
    expect(await outputOf(callId, 'stderr')).toBe('')
    await go(1)
    await expect.poll(() => outputOf(callId, 'stdout', 4), until).toBe('two\n')
    await expect.poll(() => outputOf(callId, 'stderr'), until).toBe('no\n')
    expect(await read(callId, 'stdout', 8)).toMatchObject({ start: 8, bytes: Buffer.alloc(0) })
    await go(2)
    await ended
    expect(await read(callId, 'stdout', 4)).toMatchObject({
      state: 'ended',
      start: 4,
      bytes: Buffer.from('two\n'),
    })
    expect(await rows(callId)).toBe(0)
    expect(await liveOf(runId)).toEqual([null])
  })

  test('comes over the run’s stream as it is written, continues after any event, and is marked lost when its end is unknown', async () => {
    const { callId, ended, runId } = await running(
      'echo one; wait 1; echo two; echo no >&2; wait 2',
    )
    const from = async (after: StreamCursor) => {
      const { cursor, events } = await readRunStream(desk.api, { runId, cursor: after })
      const data = events.flatMap(({ part }) =>
        part !== '[DONE]' && part.type === 'data-command-output' ? [part.data] : [],
      )
      // A reader that connects again has only the id of its last event.
      return { data, cursor: events.reduce((_, { id }) => parseCursor(id) ?? cursor, cursor) }
    }
    const begin = await beginRunStream(desk.api, desk.people.ada.caller, { runId, after: null })
    if (begin === null) expect.fail('it rests')
    let first = await from(begin)
    await expect
      .poll(async () => {
        first = await from(begin)
        return first.data.map(({ text }) => text)
      }, until)
      .toEqual(['one\n'])
    expect(first.data).toMatchObject([
      { callId, stream: 'stdout', attempt: 1, start: 0, end: 4, lost: false },
    ])
    expect((await from(first.cursor)).data).toEqual([])
    await go(1)
    let second = first
    await expect
      .poll(async () => {
        second = await from(first.cursor)
        return second.data.map(({ stream, start, text }) => [stream, start, text])
      }, until)
      .toEqual([
        ['stdout', 4, 'two\n'],
        ['stderr', 0, 'no\n'],
      ])
    await settleUnknown(desk.worker, { callId })
    const lost = await from(second.cursor)
    expect(lost.data.map(({ lost: is, stream, text }) => [stream, text, is])).toEqual([
      ['stdout', '', true],
      ['stderr', '', true],
    ])
    expect((await from(lost.cursor)).data).toEqual([])
    // The transcript has nothing of it: streamed output is not a result.
    const items = await readTranscript(desk.api, desk.people.ada.caller, runId)
    expect(items.flatMap(({ calls }) => calls).map(({ result }) => result)).toEqual([null])
    await go(2)
    await ended
    const after = await from(lost.cursor)
    expect(after.data).toEqual([])
  })

  test('is continued at a reader’s position also when its result is stored while it is read', async () => {
    const { callId, ended } = await running('echo one; wait 1; echo two; wait 2')
    await expect.poll(() => outputOf(callId, 'stdout'), until).toBe('one\n')
    await go(1)
    await expect.poll(() => outputOf(callId, 'stdout'), until).toBe('one\ntwo\n')
    let first = true
    const db = desk.api.db.withPlugin({
      transformQuery: ({ node }) => node,
      // Between the first query of the reader and its use of the answer.
      transformResult: async ({ result }) => {
        if (first) {
          first = false
          await go(2)
          await ended
        }
        return result
      },
    })
    const { ada } = desk.people
    const input = { callId, stream: 'stdout', offset: 4 } as const
    const { bytes, start } = await readCallOutput({ ...desk.api, db }, ada.caller, input)
    expect([start, bytes.toString()]).toEqual([4, 'two\n'])
  })

  test('is read only by people who may see the run, and not beyond its end', async () => {
    const { callId, ended } = await running('echo secret; wait 1')
    await expect.poll(() => outputOf(callId, 'stdout'), until).toBe('secret\n')
    const { grace } = desk.people
    const input = { callId, stream: 'stdout', offset: 0 } as const
    expect((await readCallOutput(desk.api, grace.caller, input)).bytes.toString()).toBe('secret\n')
    const stranger = await desk.database.db
      .insertInto('person')
      .values({ id: '01900000-0000-7000-8000-000000000001', email: 's@example.com', name: 'Sam' })
      .returning(['id', 'name'])
      .executeTakeFirstOrThrow()
    const actor = { type: 'person', ...stranger } as const
    await expect(
      readCallOutput(desk.api, { actor, channel: 'dashboard' }, input),
    ).rejects.toMatchObject({ code: 'not_found' })
    await expect(read('01900000-0000-7000-8000-00000000dead', 'stdout')).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(read(callId, 'stdout', 8)).rejects.toMatchObject({ code: 'invalid_request' })
    await go(1)
    await ended
    await expect(read(callId, 'stdout', 8)).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('is limited, with the exact count of the bytes left out, and notifies watchers once', async () => {
    const slowly = 'for i in 1 2 3 4 5; do echo $i; sleep 0.4; done'
    const script = `${slowly}; head -c 3000000 /dev/zero | tr "\\0" a; echo; echo last; wait 1`
    const { callId, ended, runId } = await running(script)
    const before = await eventsOf(runId)
    await expect.poll(() => outputOf(callId, 'stdout'), until).toMatch(/a\nlast\n$/)
    const { bytes, start } = await read(callId, 'stdout', 10)
    expect(bytes.length).toBe(maxLiveBytes)
    expect(start + bytes.length).toBe(3_000_000 + '1\n2\n3\n4\n5\n\nlast\n'.length)
    expect((await eventsOf(runId)) - before).toBeLessThanOrEqual(2)
    await go(1)
    await ended
    expect(await read(callId, 'stdout', start - 1)).toMatchObject({ start: start - 1 })
  })

  test('has the same bytes at the same position after its end, whatever they are', async () => {
    const script = String.raw`printf '\xe2\x82'; wait 1; printf '\xac\xff\000\033[2J'; wait 2`
    const { callId, ended } = await running(script)
    const bytes = Buffer.from('e282acff001b5b324a', 'hex')
    await expect.poll(async () => (await read(callId, 'stdout')).bytes.length, until).toBe(2)
    await go(1)
    await expect.poll(async () => (await read(callId, 'stdout', 2)).bytes.length, until).toBe(7)
    expect((await read(callId, 'stdout')).bytes).toEqual(bytes)
    await go(2)
    await ended
    expect((await read(callId, 'stdout')).bytes).toEqual(bytes)
    expect((await read(callId, 'stdout', 5)).bytes).toEqual(bytes.subarray(5))
  })

  test('of a command whose end is unknown is no result and says so; a late end replaces it', async () => {
    const { callId, ended, runId } = await running('echo half; wait 1; echo whole')
    await expect.poll(() => outputOf(callId, 'stdout'), until).toBe('half\n')
    await settleUnknown(desk.worker, { callId })
    expect(await read(callId, 'stdout')).toMatchObject({ state: 'unknown', attempt: 1 })
    expect(await liveOf(runId)).toEqual([{ callId, state: 'unknown', stdout: 5, stderr: 0 }])
    expect((await desk.calls(runId, 1))[0]?.result).toBeNull()
    await go(1)
    await ended
    expect(await read(callId, 'stdout')).toMatchObject({ state: 'ended' })
    expect(await outputOf(callId, 'stdout')).toBe('half\nwhole\n')
  })

  test('of a command that is stopped is removed with it, and is not its result', async () => {
    const stop = new AbortController()
    const { callId, ended, runId } = await running('echo begun; wait 1', stop)
    await expect.poll(() => outputOf(callId, 'stdout'), until).toBe('begun\n')
    stop.abort('shutdown')
    await ended
    expect((await desk.calls(runId, 1))[0]).toMatchObject({
      result: 'error',
      text: expect.stringContaining('stopped while it ran'),
    })
    expect(await rows(callId)).toBe(0)
    await expect(read(callId, 'stdout')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('is not written by an attempt whose call has its result, nor by one that does not exist', async () => {
    const { callId, ended } = await running('echo done')
    await ended
    const late = [{ stream: 'stdout', skipped: 0, bytes: Buffer.from('late') }] as const
    await putLiveOutput(desk.database.db, { callId, attempt: 1 }, late)
    expect(await rows(callId)).toBe(0)
    const open = await running('echo first; wait 1')
    await expect.poll(() => outputOf(open.callId, 'stdout'), until).toBe('first\n')
    await putLiveOutput(desk.database.db, { callId: open.callId, attempt: 0 }, late)
    await putLiveOutput(desk.database.db, { callId: open.callId, attempt: 2 }, late)
    expect(await outputOf(open.callId, 'stdout')).toBe('first\n')
    await go(1)
    await open.ended
  })

  test('belongs to commands only: a hash in another tool’s result opens nothing', async () => {
    const secret = await putContent(desk.database.db, 'of another run')
    desk.say({ calls: [{ tool: 'read_file', input: { path: 'notes/forged.json' } }] })
    await desk.write('notes/forged.json', '{}')
    const { runId } = await desk.startTurn()
    const [call] = await desk.calls(runId, 1)
    const callId = call?.id ?? ''
    await executeCall(desk.worker, { callId, signal: new AbortController().signal })
    const forged = { stdout: 'words', full: { stdout: { hash: secret } } }
    const output = await putContent(desk.database.db, JSON.stringify(forged))
    await setRows(desk.database.db, 'tool_call', { id: callId }, { result_output_hash: output })
    await expect(read(callId, 'stdout')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('leaves no row of a command that ends at once', async () => {
    const { callId, ended, runId } = await running('echo quick')
    await ended
    expect(await rows(callId)).toBe(0)
    expect(await outputOf(callId, 'stdout')).toBe('quick\n')
    expect(await liveOf(runId)).toEqual([null])
  })
})

test('a call that has not begun has no output', async () => {
  const runId = await desk.start()
  const call = await proposeCall(desk, runId, 1, {
    tool: 'shell',
    input: { command: 'echo x', cwd: 'scratch' },
  })
  await expect(read(call.id, 'stdout')).rejects.toMatchObject({ code: 'not_found' })
})
