import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aWrite, faultProject } from './fault-project.ts'
import { FaultWorld } from './fault-world.ts'

let world: FaultWorld

beforeAll(async () => {
  world = await FaultWorld.start(
    faultProject({
      stale: [{ calls: [aWrite('notes/old.md'), aWrite('notes/after.md')] }],
      patient: [{ calls: [aWrite('notes/patient.md')] }, { calls: [aWrite('notes/second.md')] }],
    }),
  )
}, 240_000)
afterAll(() => world[Symbol.asyncDispose](), 240_000)

// Rules: product.md 14
describe('a file that changes between opening and execution', () => {
  test('refuses the approved call as stale, keeps what was written, asks afresh, and the fresh approval runs once', async () => {
    const runId = await world.startRun('stale')
    const [first, second] = await world.waiting(runId, 2)
    if (first === undefined || second === undefined) throw new Error('two calls wait')
    await writeFile(join(world.installation.folder, 'notes', 'old.md'), 'of a colleague\n')
    await world.decide(second)
    expect(await world.decide(first)).toMatchObject({ status: 200, body: { state: 'approved' } })
    const fresh = await world.onlyWaiting(runId)
    expect(fresh).toMatchObject({ callId: first.callId, digest: first.digest })
    const grace = await world.as('grace')
    expect((await grace.get(`/v1/requests/${first.id}`)).body).toMatchObject({
      state: 'approved',
      supersededBy: fresh.id,
      execution: { state: 'refused', reason: 'stale' },
    })
    expect((await grace.get(`/v1/requests/${fresh.id}`)).body).toMatchObject({
      state: 'pending',
      previous: [{ requestId: first.id, state: 'approved' }],
      presentation: { content: expect.stringContaining('-of a colleague') },
    })
    expect(await world.read('notes/old.md')).toBe('of a colleague\n')
    expect(await world.read('notes/after.md')).toBeNull()
    expect(await world.audit(runId)).toContain('execution.refused')
    expect(await world.decide(fresh)).toMatchObject({ status: 200 })
    await world.untilRun(runId, 'completed')
    expect(await world.read('notes/old.md')).toBe('new\n')
    expect(await world.calls(runId)).toMatchObject([
      { execution: 'succeeded', attempts: 2 },
      { execution: 'succeeded', attempts: 1 },
    ])
  }, 240_000)
})

describe('a run that waits', () => {
  test('goes on after a restart of everything, where it stood', async () => {
    const runId = await world.startRun('patient')
    const request = await world.onlyWaiting(runId)
    await world.restart()
    expect(await world.onlyWaiting(runId)).toEqual(request)
    expect(await world.decide(request)).toMatchObject({ status: 200 })
    await world.untilSql('select turn from run where id = $1', [runId], 2)
    await world.decide(await world.onlyWaiting(runId))
    await world.untilRun(runId, 'completed')
    expect((await world.calls(runId)).map((call) => [call.execution, call.attempts])).toEqual([
      ['succeeded', 1],
      ['succeeded', 1],
    ])
  }, 240_000)
})
