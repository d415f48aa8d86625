import {
  ActivityFailure,
  CancellationScope,
  condition,
  patched,
  proxySinks,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import type { CallOutcome, CallPlan, SettleOutcome } from '#domain/runs/workflow-outcomes.ts'
import type { Activities, ExecutorSinks, TurnPlace } from './activity-port.ts'
import { onceActivities } from './activity-proxies.ts'
import { callOutcomeOf, settleOutcomeOf } from './untrusted.ts'
import type { Wakeups } from './wakeups.ts'

export interface ExecutionContext {
  readonly wakeups: Wakeups
  /** of the host that has the run's workspace */
  readonly taskQueue: string
  readonly database: Pick<Activities, 'settleUnknown'>
  /** true when the workflow should continue as new as soon as no activity is in flight */
  readonly shouldContinueAsNew: () => boolean
}

const firstRetryDelayMs = 1000
const maxRetryDelayMs = 60_000

/**
 * Issues a call. When the activity fails or times out, the store says whether the effect may have
 * happened. Only a call that had not started is issued again, with growing pauses, until the
 * workflow should continue as new: a host may be away for weeks. Then the call waits for nothing.
 * `next`: the turn that the activity may take once the call has its result.
 */
export async function executeOnce(
  executing: ExecutionContext,
  { callId, tool = 'call' }: Pick<CallPlan, 'callId' | 'tool'>,
  next: TurnPlace | null,
): Promise<CallOutcome> {
  const { executor } = proxySinks<ExecutorSinks>()
  const isHere = executing.taskQueue === workflowInfo().taskQueue
  const once = onceActivities(executing.taskQueue, tool)
  for (let delayMs = firstRetryDelayMs; ; delayMs = Math.min(delayMs * 2, maxRetryDelayMs)) {
    if (isHere) executor.prepareCall(callId)
    try {
      const answer: unknown = await untilCancelled(executing.wakeups, () =>
        once.executeCall(next === null ? { callId } : { callId, next }),
      )
      const outcome = callOutcomeOf(answer)
      if (outcome !== null) return outcome
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error
    }
    let settled: SettleOutcome | null = null
    try {
      settled = settleOutcomeOf(await executing.database.settleUnknown({ callId }))
    } catch (error) {
      // A database activity never fails: the answer was forged, and settles nothing.
      if (!(error instanceof ActivityFailure)) throw error
    }
    if (settled !== null && settled.kind !== 'again') return settled
    await sleep(delayMs)
    // An older history goes on here, and continues as new after its replay.
    if (executing.shouldContinueAsNew() && patched('continue-between-tries')) {
      return { kind: 'wait', requestIds: [], nextDeadlineMs: null }
    }
  }
}

/**
 * Runs activities and passes a cancel signal on to them. The activities ask the store whether the
 * run was really cancelled, so a forged signal changes nothing.
 */
export async function untilCancelled<T>(wakeups: Wakeups, work: () => Promise<T>): Promise<T> {
  let over = false
  const scope = new CancellationScope({ cancellable: true })
  // The activity reads from the store whether a cancellation was signalled before.
  wakeups.cancelWasLookedAt()
  void passOnCancel()
  try {
    return await scope.run(work)
  } finally {
    over = true
  }

  async function passOnCancel(): Promise<void> {
    await condition(() => over || wakeups.saysCancel)
    if (!over) scope.cancel()
  }
}
