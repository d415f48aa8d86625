import { beforeEach, expect, test } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import type { Json } from '#domain/json/json.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { cancelRun } from '../../engine/lifecycle/cancel-run.ts'
import { clearTranscript } from '../../retention/clear-transcript.ts'
import { readChanges } from './read-changes.ts'
import { editCall, writeCall } from '#test/harness/fixtures/runs/file-calls.ts'

const desk = disposeAfterTests(await openAgentDesk())

beforeEach(() => void (desk.steps.length = 0))

const move = (from: string, to: string) => ({ tool: 'move_file', input: { from, to } })
const remove = (path: string) => ({ tool: 'delete_file', input: { path } })

type Call = { readonly tool: string; readonly input: Json }

/** A run whose turns make these calls; Grace approves what asks. */
async function ran(...turns: readonly (readonly Call[])[]): Promise<string> {
  const runId = await desk.start()
  for (const [index, calls] of turns.entries()) {
    desk.say({ calls })
    const outcome = await desk.turn(runId, index + 1)
    for (const { requestId } of await desk.calls(runId, index + 1)) {
      if (requestId !== '') await desk.decide(desk.people.grace, requestId)
    }
    await desk.perform(outcome)
  }
  return runId
}

const changes = (runId: string, page: { limit?: number; cursor?: string } = {}) =>
  readChanges(desk.api, desk.people.ada.caller, { runId, ...page })

async function numberOf(runId: string, turn: number, position: number): Promise<number> {
  const call = (await desk.calls(runId, turn))[position - 1]
  const { number } = await rowOf(desk.database.db, 'request', { id: call?.requestId ?? '' })
  return Number(number)
}

// Rules: product.md 28
test('lists the net effect of a run on each file, with exact lines and the requests behind it', async () => {
  await desk.write('scratch/kept.md', 'one\ntwo\nthree\n')
  await desk.write('scratch/gone.md', 'a\nb\n')
  await desk.write('notes/plan.md', 'plan\n')
  const runId = await ran(
    [
      writeCall('scratch/kept.md', 'one\nzwei\nthree\n'),
      writeCall('notes/plan.md', 'plan\nstep\n'),
      remove('scratch/gone.md'),
      writeCall('scratch/new.md', 'first\n'),
    ],
    [
      editCall('scratch/kept.md', 'three', 'three\nfour'),
      editCall('notes/plan.md', 'step', 'steps\nmore'),
      writeCall('scratch/new.md', 'first\nsecond\n'),
    ],
  )
  const { items, total, unknown } = await changes(runId)
  expect(items).toEqual([
    {
      path: 'notes/plan.md',
      change: 'modified',
      from: null,
      before: hashBytes('plan\n'),
      after: hashBytes('plan\nsteps\nmore\n'),
      added: 2,
      removed: 0,
      requests: [await numberOf(runId, 1, 2), await numberOf(runId, 2, 2)],
      calls: [
        { id: expect.any(String), runId, turn: 2, position: 2, tool: 'edit_file' },
        { id: expect.any(String), runId, turn: 1, position: 2, tool: 'write_file' },
      ],
    },
    expect.objectContaining({
      path: 'scratch/gone.md',
      change: 'deleted',
      after: null,
      added: 0,
      removed: 2,
    }),
    expect.objectContaining({
      path: 'scratch/kept.md',
      change: 'modified',
      added: 2,
      removed: 1,
      requests: [],
    }),
    expect.objectContaining({
      path: 'scratch/new.md',
      change: 'added',
      before: null,
      added: 2,
      removed: 0,
    }),
  ])
  expect({ total, unknown }).toEqual({ total: 4, unknown: { commands: 0, calls: 0 } })
})

test('a file whose contents are the original ones again is not listed, however they were restored', async () => {
  await desk.write('scratch/back.md', 'same\n')
  await desk.write('scratch/there.md', 'there\n')
  const runId = await ran(
    [
      writeCall('scratch/back.md', 'other\n'),
      writeCall('scratch/made.md', 'made\n'),
      move('scratch/there.md', 'scratch/away.md'),
    ],
    [
      writeCall('scratch/back.md', 'same\n'),
      remove('scratch/made.md'),
      move('scratch/away.md', 'scratch/there.md'),
      writeCall('scratch/back.md', 'same\n'),
    ],
  )
  expect(await changes(runId)).toEqual({
    items: [],
    nextCursor: null,
    total: 0,
    more: 0,
    unknown: { commands: 0, calls: 0 },
  })
})

test('a moved file is one change from its original path, also when it is changed and moved again', async () => {
  await desk.write('scratch/one.md', 'first\nsecond\n')
  await desk.write('scratch/over.md', 'over\n')
  await desk.write('scratch/under.md', 'under\n')
  const runId = await ran(
    [move('scratch/one.md', 'scratch/two.md'), move('scratch/under.md', 'scratch/over.md')],
    [editCall('scratch/two.md', 'second', 'last'), writeCall('scratch/fresh.md', 'fresh\n')],
    [move('scratch/two.md', 'scratch/three.md'), move('scratch/fresh.md', 'scratch/newest.md')],
  )
  const { items } = await changes(runId)
  expect(
    items.map(({ path, change, from, added, removed }) => [path, change, from, added, removed]),
  ).toEqual([
    ['scratch/newest.md', 'added', null, 1, 0],
    ['scratch/over.md', 'modified', null, 1, 1],
    ['scratch/three.md', 'moved', 'scratch/one.md', 1, 1],
    ['scratch/under.md', 'deleted', null, 0, 1],
  ])
})

test('files that are not text have no line counts, and pages end between files', async () => {
  const picture = { path: 'scratch/p.bin', content: 'AAEC', encoding: 'base64' }
  const runId = await ran([
    { tool: 'write_file', input: picture },
    writeCall('scratch/q.md', 'q\n'),
    writeCall('scratch/r.md', 'r\n'),
  ])
  const first = await changes(runId, { limit: 2 })
  expect(first).toMatchObject({
    items: [
      { path: 'scratch/p.bin', added: null, removed: null },
      { path: 'scratch/q.md', added: 1 },
    ],
    total: 3,
  })
  const second = await changes(runId, { limit: 2, cursor: first.nextCursor ?? '' })
  expect(second).toMatchObject({ items: [{ path: 'scratch/r.md' }], nextCursor: null, total: 3 })
})

test('a write whose end was lost is counted as unknown, not guessed', async () => {
  desk.beforeExecute = async () => {
    throw new Error('the host is gone')
  }
  const runId = await ran([writeCall('scratch/lost.md', 'lost\n')])
  desk.beforeExecute = async () => undefined
  expect(await changes(runId)).toMatchObject({ items: [], unknown: { commands: 0, calls: 1 } })
})

test('people who may not see a run do not see its changes', async () => {
  const runId = await ran([writeCall('scratch/seen.md', 'seen\n')])
  const stranger = await addPerson(desk.database.db, 'Mallory', ['elsewhere'])
  const attempt = readChanges(desk.api, stranger.caller, { runId })
  expect((await refusal(attempt)).code).toBe('not_found')
})

test('the changes of a run are removed with its words, and are counted as unknown', async () => {
  const runId = await ran([writeCall('scratch/kept-for-a-while.md', 'kept\n')])
  await cancelRun(desk.api, desk.people.ada.caller, { runId })
  await clearTranscript(desk.api, { runId, rule: '90d', olderThanMs: 0 })
  expect(await changes(runId)).toMatchObject({ items: [], unknown: { commands: 0, calls: 1 } })
})
