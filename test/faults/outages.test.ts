import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { aWrite, faultProject } from './fault-project.ts'
import { FaultWorld } from './fault-world.ts'

const world = disposeAfterTests(
  await FaultWorld.start(
    faultProject({
      one: [{ calls: [aWrite('notes/one.md')] }],
      two: [{ calls: [aWrite('notes/two.md')] }],
      asking: [{ calls: [aWrite('notes/asking.md')] }],
      three: [{ calls: [aWrite('notes/three.md')] }],
      stopped: [{ calls: [aWrite('notes/stopped.md')] }],
    }),
  ),
)

describe('a decision', () => {
  test('made while Temporal is down is recorded at once and carried out when Temporal is back', async () => {
    const runId = await world.startRun('one')
    const request = await world.onlyWaiting(runId)
    const bringBack = await world.takeDown('temporal')
    const answer = await world.decide(request)
    expect(answer).toMatchObject({ status: 200, body: { state: 'approved', stage: 'recorded' } })
    expect(await world.read('notes/one.md')).toBeNull()
    await bringBack()
    await world.untilRun(runId, 'completed')
    expect(await world.read('notes/one.md')).toBe('new\n')
    expect(await world.calls(runId)).toMatchObject([{ execution: 'succeeded', attempts: 1 }])
  }, 240_000)

  // Rules: product.md 12, 18
  test('made while no Temporal worker runs is carried out when one is there; what was due meanwhile is done then, once each', async () => {
    const asking = await world.startRun('asking')
    const undecided = await world.onlyWaiting(asking)
    const runId = await world.startRun('two')
    const request = await world.onlyWaiting(runId)
    const bringBack = await world.takeDown('temporal-worker')
    expect(await world.decide(request, {}, { headers: { prefer: 'wait=10' } })).toMatchObject({
      status: 200,
      body: { state: 'approved', stage: 'delivered', execution: { state: 'not_started' } },
    })
    expect(await world.read('notes/two.md')).toBeNull()
    const overdue = `select created_at < clock_timestamp() - interval '4 seconds' from request where id = $1`
    await world.untilSql(overdue, [undecided.id], true)
    await bringBack()
    await world.untilRun(runId, 'completed')
    expect(await world.read('notes/two.md')).toBe('new\n')
    expect(await world.calls(runId)).toMatchObject([{ execution: 'succeeded', attempts: 1 }])

    const taken = 'select cardinality(steps_taken) from request where id = $1'
    await world.untilSql(taken, [undecided.id], 2)
    expect(await world.decide(undecided, {}, { who: 'olga' })).toMatchObject({ status: 200 })
    await world.untilRun(asking, 'completed')
    const events = (await world.audit(asking)).filter((type) => type.startsWith('request.'))
    expect(events).toEqual(['request.opened', 'request.reminded', 'request.escalated'])
  }, 240_000)

  test('made while the Temporal worker hangs is carried out once when it goes on', async () => {
    const runId = await world.startRun('stopped')
    const request = await world.onlyWaiting(runId)
    const pid = await world.installation.pidOf('temporal-worker')
    process.kill(pid, 'SIGSTOP')
    try {
      expect(await world.decide(request)).toMatchObject({
        status: 200,
        body: { state: 'approved', stage: 'recorded' },
      })
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await world.untilRun(runId, 'completed')
    expect(await world.calls(runId)).toMatchObject([{ execution: 'succeeded', attempts: 1 }])
  }, 240_000)
})

describe('without Postgres', () => {
  test('nothing is decided and nothing executes; the API says 503, recovers, and the same decision then counts once', async () => {
    const runId = await world.startRun('three')
    const request = await world.onlyWaiting(runId)
    const grace = await world.as('grace')
    const path = `/v1/requests/${request.id}/decisions`
    const body = { decision: 'approve', digest: request.digest, revision: 1 }
    const key = { 'idempotency-key': randomUUID() }
    const bringBack = await world.takeDown('postgres')
    await waitUntil(async () => (await grace.get('/v1/me')).status === 503)
    for (const attempt of [() => grace.post(path, body, key), () => grace.get('/v1/requests')]) {
      expect(await attempt()).toMatchObject({
        status: 503,
        body: { code: 'unavailable', status: 503, type: expect.any(String) },
      })
    }
    const ask = (at: string): Promise<Response> =>
      fetch(`${world.installation.url}${at}`, { headers: { connection: 'close' } })
    const response = await ask('/v1/me')
    expect([401, 503]).toContain(response.status)
    expect(response.headers.get('content-type')).toContain('application/problem+json')
    expect((await ask('/readyz')).status).toBe(503)
    expect((await ask('/healthz')).status).toBe(200)
    expect(await world.read('notes/three.md')).toBeNull()
    await bringBack()
    expect(await world.sql('select 1 from decision where request_id = $1', [request.id])).toEqual(
      [],
    )
    expect(await grace.post(path, body, key)).toMatchObject({ status: 200 })
    expect(await grace.post(path, body, key)).toMatchObject({ status: 200 })
    await world.untilRun(runId, 'completed')
    expect(await world.calls(runId)).toMatchObject([{ execution: 'succeeded', attempts: 1 }])
  }, 240_000)
})
