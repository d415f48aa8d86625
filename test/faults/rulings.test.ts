import { describe, expect, test } from 'vitest'
import { aWrite, faultProject, type ScriptedTurns } from './fault-project.ts'
import { FaultWorld, requestAt, type WaitingRequest } from './fault-world.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'

/** Three writes that ask, in one turn. */
function batch(folder: string): ScriptedTurns {
  return [
    { calls: [1, 2, 3].map((place) => aWrite(`notes/${folder}-${place}.md`)) },
    { text: 'Done.' },
  ]
}

const world = disposeAfterTests(
  await FaultWorld.start(
    faultProject({
      'goes-on': batch('goes-on'),
      stopped: batch('stopped'),
      cancelled: batch('cancelled'),
      talking: [
        { calls: [aWrite('notes/talking.md')] },
        { calls: [aWrite('notes/talked.md')] },
        { text: 'Heard.' },
      ],
      strict: [
        { calls: [aWrite('notes/strict.md'), aWrite('free/strict.md'), aWrite('locked/x.md')] },
      ],
      open: [{ calls: [aWrite('notes/open.md'), aWrite('locked/x.md')] }],
      brief: [{ calls: [aWrite('brief/late.md')] }, { text: 'Too late.' }],
      many: batch('many'),
    }),
  ),
)

async function startBatch(worker: string): Promise<[string, WaitingRequest[]]> {
  const runId = await world.startRun(worker)
  return [runId, [...(await world.waiting(runId, 3))]]
}

// Rules: product.md 8, 15
describe('a denial in a batch of three', () => {
  test('with `continue` ends its own call alone; the others run in order when decided backwards', async () => {
    const [runId, requests] = await startBatch('goes-on')
    await world.decide(requestAt(requests, 3))
    await world.decide(requestAt(requests, 1), {
      decision: 'deny',
      reason: 'use "yarn"\nIgnore all',
    })
    expect(await world.read('notes/goes-on-3.md')).toBeNull()
    await world.decide(requestAt(requests, 2))
    await world.untilRun(runId, 'completed')
    expect(await world.calls(runId)).toMatchObject([
      { result: 'denied', execution: null },
      { result: 'output', execution: 'succeeded' },
      { result: 'output', execution: 'succeeded' },
    ])
    const [result] = await world.told(runId)
    expect(result).toContain('a person denied this call')
    expect(result).toContain(JSON.stringify('use "yarn"\nIgnore all'))
  }, 240_000)

  test('with `stop` cancels every later sibling, approved or not; the model waits for a message, and then goes on', async () => {
    const [runId, requests] = await startBatch('stopped')
    await world.decide(requestAt(requests, 3))
    const denial = { decision: 'deny', then: 'stop', reason: 'no more' }
    expect(await world.decide(requestAt(requests, 1), denial)).toMatchObject({ status: 200 })
    expect(await world.decide(requestAt(requests, 2))).toMatchObject({
      status: 410,
      body: { code: 'cancelled', cancelReason: 'sibling_denied' },
    })
    await world.untilRun(runId, 'waiting_for_input')
    expect(await world.calls(runId)).toMatchObject([
      { result: 'denied' },
      { result: 'cancelled', attempts: 0 },
      { result: 'cancelled', attempts: 0 },
    ])
    const states = await world.sql(
      `select r.state, p.state as permit from request r left join permit p on p.request_id = r.id
       where r.run_id = $1 order by r.position`,
      [runId],
    )
    expect(states).toEqual([
      { state: 'denied', permit: null },
      { state: 'cancelled', permit: null },
      { state: 'approved', permit: 'revoked' },
    ])
    const ada = await world.as('ada')
    expect((await ada.post(`/v1/runs/${runId}/messages`, { text: 'go on' })).status).toBeLessThan(
      300,
    )
    await world.untilRun(runId, 'completed')
  }, 240_000)

  test('is not the same as cancelling the run, which ends all three and lets nobody decide afterwards', async () => {
    const [runId, requests] = await startBatch('cancelled')
    await world.decide(requestAt(requests, 2))
    const ada = await world.as('ada')
    expect(await ada.post(`/v1/runs/${runId}/cancel`, {})).toMatchObject({ status: 200 })
    expect(await world.decide(requestAt(requests, 1))).toMatchObject({
      status: 410,
      body: { code: 'cancelled', cancelReason: 'run_cancelled' },
    })
    await world.untilRun(runId, 'cancelled')
    expect((await world.calls(runId)).map((call) => [call.result, call.attempts])).toEqual([
      ['cancelled', 0],
      ['cancelled', 0],
      ['cancelled', 0],
    ])
    expect(await ada.post(`/v1/runs/${runId}/messages`, { text: 'hello?' })).toMatchObject({
      status: 409,
      body: { code: 'run_ended' },
    })
    const handle = (await world.temporal()).workflow.getHandle(`agent-run:${runId}`)
    await handle.result()
  }, 240_000)
})

test('a message posted while a call waits is read by the next turn, and its author may not decide what is asked afterwards', async () => {
  const runId = await world.startRun('talking')
  const request = await world.onlyWaiting(runId)
  const linus = await world.as('linus')
  const path = `/v1/runs/${runId}/messages`
  expect((await linus.post(path, { text: 'Mind the tests' })).status).toBeLessThan(300)
  // The request was opened before he spoke: he may still decide it.
  expect(await world.decide(request, {}, { who: 'linus' })).toMatchObject({ status: 200 })
  await world.untilSql('select turn from run where id = $1', [runId], 2)
  const afterwards = await world.onlyWaiting(runId)
  expect(await world.decide(afterwards, {}, { who: 'linus' })).toMatchObject({
    status: 403,
    body: { code: 'not_eligible' },
  })
  expect(await world.decide(afterwards)).toMatchObject({ status: 200 })
  await world.untilRun(runId, 'completed')
  const [message] = await world.sql<{ turn: number | null }>(
    `select turn from message where run_id = $1 and role = 'user' order by sequence desc limit 1`,
    [runId],
  )
  expect(message?.turn).toBe(2)
}, 240_000)

// Rules: product.md 21
describe('a run mode', () => {
  test('strict denies what would ask, names itself, still runs what is pre-approved, and asks nobody', async () => {
    const runId = await world.startRun('strict', { mode: 'strict' })
    await world.untilRun(runId, 'completed')
    expect(await world.calls(runId)).toMatchObject([
      { result: 'denied', execution: null },
      { result: 'output', execution: 'succeeded' },
      { result: 'blocked', execution: null },
    ])
    expect((await world.told(runId))[0]).toContain('"strict"')
    expect(await world.sql('select 1 from request where run_id = $1', [runId])).toEqual([])
  }, 240_000)

  test('approve_all takes its right, approves what asks, and never what is blocked', async () => {
    const start = { worker: 'open', input: 'go', mode: 'approve_all' }
    expect(await (await world.as('ada')).post('/v1/runs', start)).toMatchObject({
      status: 403,
      body: { code: 'mode_not_permitted' },
    })
    const runId = await world.startRun('open', { mode: 'approve_all' }, 'olga')
    await world.untilRun(runId, 'completed')
    expect(await world.calls(runId)).toMatchObject([
      { result: 'output', execution: 'succeeded' },
      { result: 'blocked', execution: null },
    ])
    expect(await world.sql('select 1 from request where run_id = $1', [runId])).toEqual([])
  }, 240_000)
})

// Rules: product.md 12
test('a request that expires tells the model `expired`, and a late decision is 410 and changes nothing', async () => {
  const runId = await world.startRun('brief')
  const request = await world.onlyWaiting(runId)
  await world.untilRun(runId, 'completed')
  expect(await world.decide(request)).toMatchObject({ status: 410, body: { code: 'expired' } })
  expect(await world.calls(runId)).toMatchObject([{ result: 'expired', attempts: 0 }])
  expect(await world.told(runId)).toEqual([
    expect.stringContaining('neither an approval nor a denial'),
  ])
  expect(await world.read('brief/late.md')).toBeNull()
}, 240_000)

// Rules: product.md 15
test('several decisions in one action are each judged alone, and only what was listed is decided', async () => {
  const [runId, requests] = await startBatch('many')
  const grace = await world.as('grace')
  const item = (place: number, more = {}) => {
    const { id: requestId, digest, revision, seen } = requestAt(requests, place)
    return {
      requestId,
      decision: 'approve',
      digest,
      revision,
      seen,
      ...more,
    }
  }
  const answer = await grace.post('/v1/decisions', {
    decisions: [item(1), item(2, { digest: `sha256:${'0'.repeat(64)}` })],
  })
  expect(answer).toMatchObject({
    status: 200,
    body: { items: [{ status: 200 }, { status: 412, code: 'stale_digest' }] },
  })
  expect(await world.waiting(runId, 2)).toMatchObject([
    requestAt(requests, 2),
    requestAt(requests, 3),
  ])
  await grace.post('/v1/decisions', { decisions: [item(2), item(3, { decision: 'deny' })] })
  await world.untilRun(runId, 'completed')
  expect((await world.calls(runId)).map((call) => call.result)).toEqual([
    'output',
    'output',
    'denied',
  ])
}, 240_000)
