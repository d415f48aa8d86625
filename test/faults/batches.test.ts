import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { aWrite, faultProject } from './fault-project.ts'
import { FaultWorld, requestAt } from './fault-world.ts'
import { editCall } from '../harness/fixtures/runs/file-calls.ts'

const aRead = (path: string) => ({ tool: 'read_file', input: { path } })

/** These tests read what they write: reads of the notes do not ask. */
function readable(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, text.replace('read: ask, ', '')]),
  )
}

const world = disposeAfterTests(
  await FaultWorld.start(
    readable(
      faultProject({
        mixed: [
          {
            calls: [
              aRead('notes/old.md'),
              aWrite('notes/mixed.md'),
              aWrite('locked/mixed.md'),
              aWrite('../outside.md'),
              aRead('free/old.md'),
              aRead('notes/mixed.md'),
              aWrite('free/mixed.md'),
              aRead('free/mixed.md'),
            ],
          },
          { text: 'Mixed.' },
        ],
        middle: [
          {
            calls: [
              aWrite('notes/middle-1.md'),
              aWrite('notes/middle-2.md'),
              aWrite('free/middle-3.md'),
              aRead('free/middle-3.md'),
              aWrite('notes/middle-5.md'),
            ],
          },
          { text: 'Heard.' },
        ],
        edited: [
          {
            calls: [
              aWrite('notes/edited.md', 'one\n'),
              editCall('notes/edited.md', 'one', 'two'),
              aWrite('notes/beside.md'),
            ],
          },
          { text: 'Edited.' },
        ],
        stale: [{ calls: [1, 2, 3].map((place) => aWrite(`notes/stale-${place}.md`)) }],
        hundred: [
          { calls: Array.from({ length: 100 }, (_, index) => aWrite(`notes/many/${index}.md`)) },
          { text: 'All.' },
        ],
        late: [{ calls: [1, 2, 3].map((place) => aWrite(`notes/late-${place}.md`)) }],
      }),
    ),
  ),
)

async function resultsOf(runId: string): Promise<(string | null)[]> {
  return (await world.calls(runId)).map((call) => call.result)
}

/**
 * Waits until the calls of a run have these results, call by call; `null` where one has none yet.
 */
async function untilResults(runId: string, expected: readonly (string | null)[]): Promise<void> {
  await waitUntil(async () => {
    const results = JSON.stringify(await resultsOf(runId))
    return results === JSON.stringify(expected) || results
  })
}

// Rules: product.md 1, 15
test('of a turn with every verdict, what needs nobody is done at once, and what has effects keeps its place', async () => {
  const runId = await world.startRun('mixed')
  const request = await world.onlyWaiting(runId)
  // Of the calls after the waiting write, only reads that do not depend on it have run.
  await untilResults(runId, ['output', null, 'blocked', 'error', 'output', null, null, null])
  expect(await world.read('free/mixed.md')).toBeNull()
  await world.decide(request)
  await world.untilRun(runId, 'completed')
  expect(await resultsOf(runId)).toEqual([
    'output',
    'output',
    'blocked',
    'error',
    'output',
    'output',
    'output',
    'output',
  ])
  const results = await world.told(runId)
  expect([results[5], results[7]]).toEqual([
    expect.stringContaining('new'),
    expect.stringContaining('new'),
  ])
}, 240_000)

// Rules: product.md 8, 15
test('a denial that stops in the middle leaves the earlier call to its own decision and cancels all later ones', async () => {
  const runId = await world.startRun('middle')
  const requests = await world.waiting(runId, 3)
  await world.decide(requestAt(requests, 3))
  await world.decide(requestAt(requests, 2), { decision: 'deny', then: 'stop', reason: 'not that' })
  // The first call is still to be decided, and nothing overtakes it.
  expect(await world.onlyWaiting(runId)).toMatchObject({ id: requestAt(requests, 1).id })
  expect(await resultsOf(runId)).toEqual([null, null, null, null, null])
  await world.decide(requestAt(requests, 1))
  await world.untilRun(runId, 'waiting_for_input')
  expect(await resultsOf(runId)).toEqual([
    'output',
    'denied',
    'cancelled',
    'cancelled',
    'cancelled',
  ])
  for (const path of ['notes/middle-2.md', 'free/middle-3.md', 'notes/middle-5.md']) {
    expect(await world.read(path)).toBeNull()
  }
  await (await world.as('ada')).post(`/v1/runs/${runId}/messages`, { text: 'Go on.' })
  await world.untilRun(runId, 'completed')
}, 240_000)

// Rules: product.md 11, 15
test('a call edited in the middle of a batch makes the one that was shown on top of it ask afresh, and no other', async () => {
  const runId = await world.startRun('edited')
  const [first, second, third] = await world.waiting(runId, 3)
  if (first === undefined || second === undefined || third === undefined) throw new Error('three')
  await world.decide(second)
  const grace = await world.as('grace')
  const linus = await world.as('linus')
  const revised = await linus.post(`/v1/requests/${first.id}/revisions`, {
    input: { path: 'notes/edited.md', content: 'one, by Grace\n' },
    digest: first.digest,
    revision: 1,
  })
  const digest = revised.body['digest'] as string
  await world.decide({ ...first, digest, revision: 2 })
  await untilResults(runId, ['output', null, null])
  const waiting = await world.waiting(runId, 2)
  const fresh = waiting.find((request) => request.callId === second.callId)
  expect(fresh?.id).not.toBe(second.id)
  expect(waiting.map((request) => request.id)).toContain(third.id)
  const reply = await grace.get(`/v1/requests/${fresh?.id}`)
  expect(reply.body).toMatchObject({ previous: [{ requestId: second.id, state: 'approved' }] })
  expect(JSON.stringify(reply.body['presentation'])).toContain('two, by Grace')
  for (const request of waiting) await world.decide(request)
  await world.untilRun(runId, 'completed')
  expect(await world.read('notes/edited.md')).toBe('two, by Grace\n')
}, 240_000)

// Rules: product.md 14, 15
test('one stale member of a batch asks afresh, and the later ones wait for it', async () => {
  const runId = await world.startRun('stale')
  const requests = await world.waiting(runId, 3)
  const path = join(world.installation.folder, 'notes/stale-2.md')
  await writeFile(path, 'by somebody else\n')
  await world.decide(requestAt(requests, 3))
  await world.decide(requestAt(requests, 2))
  await world.decide(requestAt(requests, 1))
  await untilResults(runId, ['output', null, null])
  const fresh = await world.onlyWaiting(runId)
  expect(fresh.callId).toBe(requestAt(requests, 2).callId)
  expect(await world.read('notes/stale-2.md')).toBe('by somebody else\n')
  expect(await world.read('notes/stale-3.md')).toBeNull()
  await world.decide(fresh)
  await world.untilRun(runId, 'completed')
  expect(await resultsOf(runId)).toEqual(['output', 'output', 'output'])
  await rm(path)
}, 240_000)

// Rules: product.md 15
test('a hundred calls of one turn are a hundred requests, decided in one action, done in the order of the model', async () => {
  const runId = await world.startRun('hundred')
  const requests = await world.waiting(runId, 100)
  const grace = await world.as('grace')
  const decisions = requests.toReversed().map(({ id, digest, revision, seen }) => ({
    requestId: id,
    decision: 'approve',
    digest,
    revision,
    seen,
  }))
  const answer = await grace.post('/v1/decisions', { decisions })
  const items = answer.body['items'] as { status: number }[]
  expect(items.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200))
  await world.untilRun(runId, 'completed', 120_000)
  const started = await world.sql<{ position: number }>(
    `select c.position from execution e join tool_call c on c.id = e.call_id
     where c.run_id = $1 order by e.started_at`,
    [runId],
  )
  expect(started.map(({ position }) => position)).toEqual(
    Array.from({ length: 100 }, (_, index) => index + 1),
  )
}, 240_000)

// Rules: product.md 7, 15
test('in one action over a batch, what is no longer pending is told apart, and the rest is decided', async () => {
  const runId = await world.startRun('late')
  const requests = await world.waiting(runId, 3)
  await world.decide(requestAt(requests, 2), { decision: 'deny', reason: 'no' }, { who: 'linus' })
  const grace = await world.as('grace')
  const answer = await grace.post('/v1/decisions', {
    decisions: requests.map(({ id, digest, revision, seen }) => ({
      requestId: id,
      decision: 'approve',
      digest,
      revision,
      seen,
    })),
  })
  expect(answer.body['items']).toMatchObject([
    { status: 200, state: 'approved' },
    { status: 409, code: 'already_decided' },
    { status: 200, state: 'approved' },
  ])
  await world.untilRun(runId, 'completed')
  expect(await resultsOf(runId)).toEqual(['output', 'denied', 'output'])
}, 240_000)
