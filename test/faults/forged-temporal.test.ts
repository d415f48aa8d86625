import { randomUUID } from 'node:crypto'
import { msToTs } from '@temporalio/common/lib/time.js'
import { describe, expect, test } from 'vitest'
import type { agentRun } from '#workflows/agent-run.ts'
import { cancelRequested, decided, messaged } from '#workflows/messages.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { aWrite, faultProject } from './fault-project.ts'
import { FaultWorld, type WaitingRequest } from './fault-world.ts'
import { ownQueue, startForger } from './forger.ts'
import { journalOf } from './journal.ts'

const slow = { tool: 'act', input: { how: 'wait', forMs: 1500 } }
const world = disposeAfterTests(
  await FaultWorld.start(
    faultProject({
      act: [{ calls: [{ tool: 'act', input: { how: 'wait' } }] }],
      pair: [{ calls: [slow, aWrite('notes/pair.md')] }],
      reset: [
        { calls: [{ tool: 'act', input: { how: 'wait' } }] },
        { calls: [{ tool: 'act', input: { how: 'wait', mark: 'second' } }] },
      ],
    }),
  ),
)
const forger = disposeAfterTests(await startForger(world))

function handleOf(runId: string) {
  return forger.client.workflow.getHandle(`agent-run:${runId}`)
}

async function waitingRun(worker = 'act'): Promise<{ runId: string; request: WaitingRequest }> {
  const runId = await world.startRun(worker)
  const [request] = await world.waiting(runId, worker === 'pair' ? 2 : 1)
  if (request === undefined) throw new Error('nothing waits')
  return { runId, request }
}

/** Nothing of the run has run, and it still waits for people. */
async function expectUntouched(runId: string, callId: string): Promise<void> {
  expect(await journalOf(world, callId)).toMatchObject({ begun: 0 })
  expect(await world.sql('select state from run where id = $1', [runId])).toEqual([
    { state: 'waiting_for_approval' },
  ])
  expect(await world.sql('select state from request where call_id = $1', [callId])).toEqual([
    { state: 'pending' },
  ])
}

async function approveOnce(runId: string, request: WaitingRequest): Promise<void> {
  expect(await world.decide(request)).toMatchObject({ status: 200 })
  await world.untilRun(runId, 'completed')
  expect(await journalOf(world, request.callId)).toMatchObject({ begun: 1, ended: 1 })
}

// Rules: security.md 14
describe('forged signals', () => {
  test('doubled, of every kind, with any ids: nothing runs, and the real decision is then carried out once', async () => {
    const { runId, request } = await waitingRun()
    const handle = handleOf(runId)
    const contents: unknown[] = [[request.id], [], ['*'], [null], null, 'all', { length: 3 }, 7]
    for (const content of contents) {
      for (let round = 0; round < 3; round += 1) await handle.signal('decided', content)
    }
    for (const name of ['messaged', 'cancelRequested', 'approve', '__proto__']) {
      await handle.signal(name, 'now')
      await handle.signal(name)
    }
    await waitUntil(async () => (await world.calls(runId)).length === 1)
    await settled(runId)
    await expectUntouched(runId, request.callId)
    await approveOnce(runId, request)
  }, 240_000)

  test('early, before the first turn, and late, after the end, change nothing', async () => {
    const runId = await world.startRun('act')
    await waitUntil(() =>
      handleOf(runId)
        .signal(decided, [randomUUID()])
        .then(
          () => true,
          () => false,
        ),
    )
    await handleOf(runId).signal(cancelRequested)
    await handleOf(runId).signal(messaged)
    const request = await world.onlyWaiting(runId)
    await expectUntouched(runId, request.callId)
    await approveOnce(runId, request)
    await handleOf(runId).result()
    await expect(handleOf(runId).signal(decided, [request.id])).rejects.toThrow('already completed')
    expect(await journalOf(world, request.callId)).toMatchObject({ begun: 1 })
  }, 240_000)

  test('about another run’s request wake nobody into running it', async () => {
    const one = await waitingRun()
    const other = await waitingRun()
    await world.decide(other.request)
    await world.untilRun(other.runId, 'completed')
    await handleOf(one.runId).signal(decided, [other.request.id, one.request.id])
    await settled(one.runId)
    await expectUntouched(one.runId, one.request.callId)
  }, 240_000)

  test('to cancel stop no tool that runs', async () => {
    const { runId, request } = await waitingRun('pair')
    await world.decide(request)
    await waitUntil(async () => (await journalOf(world, request.callId)).begun === 1)
    await handleOf(runId).signal(cancelRequested)
    await handleOf(runId).cancel()
    await world.untilSql(
      'select state from execution where call_id = $1',
      [request.callId],
      'succeeded',
    )
    expect(await journalOf(world, request.callId)).toMatchObject({ begun: 1, ended: 1 })
    await expectStillWaiting(runId)
  }, 240_000)
})

/**
 * A cancel at Temporal's own level is a signal like any other: the run goes on when it is decided.
 */
async function expectStillWaiting(runId: string): Promise<void> {
  const second = await world.onlyWaiting(runId)
  expect((await handleOf(runId).describe()).status.name).toBe('RUNNING')
  await world.decide(second)
  await world.untilRun(runId, 'completed')
  expect(await world.read('notes/pair.md')).toBe('new\n')
}

/** The workflow has taken in all that was sent to it: nothing is pending. */
async function settled(runId: string): Promise<void> {
  await waitUntil(async () => {
    const { raw } = await handleOf(runId).describe()
    return raw.pendingWorkflowTask === null && (raw.pendingActivities ?? []).length === 0
  })
}

// Rules: security.md 14
describe('a workflow started by hand', () => {
  test('for a real run, with a turn and a queue of its own, runs nothing unapproved, and beside the real one the call runs once', async () => {
    const { runId, request } = await waitingRun()
    const starts = [
      { runId },
      { runId, turn: 1, taskQueue: ownQueue },
      { runId, turn: 7, taskQueue: ownQueue },
      { runId, turn: 0, taskQueue: ownQueue },
    ]
    const forged = await Promise.all(
      starts.map((start) =>
        forger.client.workflow.start<typeof agentRun>('agentRun', {
          taskQueue: ownQueue,
          workflowId: `agent-run:${randomUUID()}`,
          args: [start],
        }),
      ),
    )
    await waitUntil(async () => (await forged[0]?.describe())?.raw.pendingWorkflowTask === null)
    await expectUntouched(runId, request.callId)
    expect(await world.waiting(runId)).toHaveLength(1)
    await approveOnce(runId, request)
    expect((await world.calls(runId)).map((call) => call.attempts)).toEqual([1])
    for (const handle of forged) await handle.terminate().catch(() => undefined)
  }, 240_000)

  test('for a run that nobody recorded ends at once and leaves nothing', async () => {
    const runId = randomUUID()
    const handle = await forger.client.workflow.start<typeof agentRun>('agentRun', {
      taskQueue: ownQueue,
      workflowId: `agent-run:${randomUUID()}`,
      args: [{ runId }],
    })
    await handle.result()
    expect(await world.sql('select 1 from run where id = $1', [runId])).toEqual([])
    expect(await world.audit(runId)).toEqual([])
  }, 240_000)
})

/** What the trail of a run says was tried in vain: the attempt, why not, and of which call. */
async function refusedOf(runId: string): Promise<unknown[]> {
  const rows = await world.sql<{ document: string }>(
    `select document from audit_event where run_id = $1 and type = 'attempt.refused' order by at, id`,
    [runId],
  )
  return rows.map(({ document }) => {
    const { detail, callId } = JSON.parse(document) as {
      detail: { attempt: string; code: string }
      callId?: string
    }
    return [detail.attempt, detail.code, callId ?? null]
  })
}

// Rules: security.md 14, 33
describe('an activity scheduled by a hand-written workflow on our queue', () => {
  test('executes no call that waits, closes no run that waits, expires nothing early and takes no turn', async () => {
    const { runId, request } = await waitingRun()
    const { callId } = request
    expect(await forger.activity('executeCall', { callId })).toMatchObject({ kind: 'wait' })
    await forger.activity('settleUnknown', { callId })
    await forger.activity('advanceRequests', { runId })
    expect(await forger.activity('closeRun', { runId })).toEqual({ kind: 'continue' })
    await forger.activity('takeTurn', { runId, turn: 99 }, `${ownQueue}-turns`)
    expect(await forger.activity('executeCall', { callId: randomUUID() })).toEqual({
      kind: 'ended',
    })
    await expectUntouched(runId, callId)
    expect(await refusedOf(runId)).toEqual([
      ['executeCall', 'not_its_workflow', callId],
      ['settleUnknown', 'not_its_workflow', callId],
      ['advanceRequests', 'not_its_workflow', null],
      ['closeRun', 'not_its_workflow', null],
      ['takeTurn', 'not_its_workflow', null],
    ])
    await approveOnce(runId, request)
    await forger.activity('executeCall', { callId })
    expect(await journalOf(world, callId)).toMatchObject({ begun: 1 })
  }, 240_000)

  test('runs a later call of the turn no sooner than the earlier one, though it is approved', async () => {
    const { runId, request } = await waitingRun('pair')
    const [, second] = await world.waiting(runId, 2)
    if (second === undefined) throw new Error('two calls wait')
    await world.decide(second)
    expect(await forger.activity('executeCall', { callId: second.callId })).toEqual({
      kind: 'wait',
      requestIds: [request.id],
      queues: ['platform'],
      nextDeadlineMs: expect.any(Number),
    })
    expect((await world.calls(runId)).map((call) => call.attempts)).toEqual([0, 0])
  }, 240_000)
})

describe('a workflow', () => {
  test('that is reset to its beginning runs nothing a second time and goes on where the store stands', async () => {
    const { runId, request } = await waitingRun('reset')
    await world.decide(request)
    await world.untilSql('select turn from run where id = $1', [runId], 2)
    const second = await world.onlyWaiting(runId)
    const { raw } = await handleOf(runId).describe()
    await forger.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: raw.workflowExecutionInfo?.execution ?? {},
      reason: 'forged',
      requestId: randomUUID(),
      // `msToTs` of the SDK makes a 64-bit number.
      workflowTaskFinishEventId: msToTs(4000).seconds ?? null,
    })
    await settled(runId)
    expect(await journalOf(world, request.callId)).toMatchObject({ begun: 1 })
    await approveOnce(runId, second)
    expect(await journalOf(world, request.callId)).toMatchObject({ begun: 1 })
    expect((await world.calls(runId)).map((call) => call.attempts)).toEqual([1, 1])
  }, 240_000)

  // Rules: product.md 13; security.md 14
  test('that is terminated behind our back ends its run as workflow_lost, and its request can no longer be decided', async () => {
    const { runId, request } = await waitingRun()
    await handleOf(runId).terminate('forged')
    await world.untilSql('select end_reason from run where id = $1', [runId], 'workflow_lost')
    expect(await world.sql('select state from run where id = $1', [runId])).toEqual([
      { state: 'failed' },
    ])
    expect(await world.decide(request)).toMatchObject({
      status: 410,
      body: { code: 'cancelled', cancelReason: 'workflow_lost' },
    })
    expect(await world.audit(runId)).toEqual(
      expect.arrayContaining(['request.cancelled', 'run.ended', 'system.reconciled']),
    )
    expect(await journalOf(world, request.callId)).toMatchObject({ begun: 0 })
  }, 240_000)
})
