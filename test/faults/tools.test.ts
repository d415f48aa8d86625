import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { aWrite, faultProject } from './fault-project.ts'
import { FaultWorld } from './fault-world.ts'
import { journalOf } from './journal.ts'
import { isAlive } from '../harness/programs/is-alive.ts'

const act = (input: Record<string, unknown>) => ({ tool: 'act', input })
const world = disposeAfterTests(
  await FaultWorld.start(
    faultProject({
      // Longer than the heartbeat's time-out, in any case until the other run is over.
      blocker: [{ calls: [act({ how: 'block', forMs: 14_000, mark: 'unblock.txt' })] }],
      writer: [{ calls: [aWrite('notes/while-blocked.md')] }],
      endless: [{ calls: [act({ how: 'never' }), aWrite('notes/after-endless.md')] }],
      dying: [{ calls: [act({ how: 'die' })] }],
      late: [{ calls: [act({ how: 'until', mark: 'release.txt' })] }],
      settled: [{ calls: [act({ how: 'until', mark: 'release-settled.txt' })] }],
    }),
  ),
)

async function approved(worker: string): Promise<{ runId: string; callId: string }> {
  const runId = await world.startRun(worker)
  const [request] = await world.waiting(runId, worker === 'endless' ? 2 : 1)
  if (request === undefined) throw new Error('nothing waits')
  expect(await world.decide(request)).toMatchObject({ status: 200 })
  return { runId, callId: request.callId }
}

async function untilBegun(callId: string): Promise<void> {
  await waitUntil(async () => (await journalOf(world, callId)).begun === 1)
}

/**
 * Stops the Temporal worker for longer than the heartbeat's time-out, so that Temporal gives the
 * call up.
 */
async function loseTouch(runId: string): Promise<void> {
  const pid = await world.installation.pidOf('temporal-worker')
  const handle = (await world.temporal()).workflow.getHandle(`agent-run:${runId}`)
  process.kill(pid, 'SIGSTOP')
  try {
    await waitUntil(
      async () => {
        const described = await handle.describe()
        return (described.raw.pendingActivities ?? []).length === 0
      },
      { everyMs: 200 },
    )
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

describe('a tool', () => {
  test('that blocks its event loop for longer than the heartbeat’s time-out finishes, and other runs go on meanwhile', async () => {
    const blocker = await approved('blocker')
    await untilBegun(blocker.callId)
    const other = await world.startRun('writer')
    await world.decide(await world.onlyWaiting(other))
    await world.untilRun(other, 'completed')
    expect(await journalOf(world, blocker.callId)).toMatchObject({ begun: 1, ended: 0 })
    await writeFile(join(world.installation.folder, 'unblock.txt'), '')
    await world.untilRun(blocker.runId, 'completed', 180_000)
    expect(await world.calls(blocker.runId)).toMatchObject([
      { execution: 'succeeded', result: 'output', attempts: 1 },
    ])
    expect(await journalOf(world, blocker.callId)).toMatchObject({ begun: 1, ended: 1 })
  }, 240_000)

  test('that never returns is ended with everything it started, within seconds of the run’s cancellation', async () => {
    const { runId, callId } = await approved('endless')
    await waitUntil(async () => (await journalOf(world, callId)).pids.length === 2)
    const { pids } = await journalOf(world, callId)
    expect(pids.filter(isAlive)).toEqual(pids)
    const ada = await world.as('ada')
    expect(await ada.post(`/v1/runs/${runId}/cancel`, { reason: 'enough' })).toMatchObject({
      status: 200,
    })
    await waitUntil(() => pids.filter(isAlive).length === 0)
    await world.untilSql(
      `select reason from execution where call_id = $1`,
      [callId],
      'cancelled',
      8_000,
    )
    expect(await world.calls(runId)).toMatchObject([
      { execution: 'failed', reason: 'cancelled', result: 'cancelled' },
      { execution: null, result: 'cancelled' },
    ])
    await world.untilRun(runId, 'cancelled')
    expect(await world.waiting(runId, 0)).toEqual([])
    expect(await world.read('notes/after-endless.md')).toBeNull()
  }, 240_000)

  test('that kills its process harms only its own call, whose outcome a person is asked about', async () => {
    const { runId, callId } = await approved('dying')
    const worker = await world.installation.pidOf('temporal-worker')
    await world.untilSql('select state from execution where call_id = $1', [callId], 'unknown')
    const check = await world.onlyWaiting(runId)
    const grace = await world.as('grace')
    expect((await grace.get(`/v1/requests/${check.id}`)).body).toMatchObject({
      kind: 'outcome_check',
      callId,
    })
    expect(
      await grace.post(`/v1/requests/${check.id}/settle`, {
        ran: false,
        then: 'continue',
        reason: 'looked',
      }),
    ).toMatchObject({ status: 200 })
    await world.untilRun(runId, 'completed')
    expect(await journalOf(world, callId)).toMatchObject({ begun: 1, ended: 0 })
    expect(await world.installation.pidOf('temporal-worker')).toBe(worker)
  }, 240_000)
})

describe('a time-out is not a death', () => {
  test('the call is unknown first, and when its effect finishes late it ends as what really happened', async () => {
    const { runId, callId } = await approved('late')
    await untilBegun(callId)
    await loseTouch(runId)
    await world.untilSql('select state from execution where call_id = $1', [callId], 'unknown')
    const check = await world.onlyWaiting(runId)
    await writeFile(join(world.installation.folder, 'release.txt'), '')
    await world.untilRun(runId, 'completed')
    expect(await world.calls(runId)).toMatchObject([
      { execution: 'succeeded', result: 'output', attempts: 1 },
    ])
    expect(await journalOf(world, callId)).toMatchObject({ begun: 1, ended: 1 })
    expect(
      await world.sql('select state, cancel_reason from request where id = $1', [check.id]),
    ).toEqual([{ state: 'cancelled', cancel_reason: 'settled' }])
  }, 240_000)

  test('what a person has settled stays settled when the effect finishes late, and the trail has both', async () => {
    const { runId, callId } = await approved('settled')
    await untilBegun(callId)
    await loseTouch(runId)
    await world.untilSql('select state from execution where call_id = $1', [callId], 'unknown')
    const check = await world.onlyWaiting(runId)
    const settled = await (
      await world.as('grace')
    ).post(`/v1/requests/${check.id}/settle`, { ran: false, then: 'continue', reason: 'not there' })
    expect(settled).toMatchObject({ status: 200 })
    await writeFile(join(world.installation.folder, 'release-settled.txt'), '')
    await waitUntil(async () => (await world.audit(runId)).includes('execution.finished'))
    await world.untilRun(runId, 'completed')
    expect(await world.calls(runId)).toMatchObject([{ execution: 'failed', attempts: 1 }])
    expect(await world.audit(runId)).toEqual(
      expect.arrayContaining(['execution.unknown', 'execution.settled', 'execution.finished']),
    )
  }, 240_000)
})
