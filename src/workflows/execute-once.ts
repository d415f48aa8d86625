import { ActivityFailure, CancellationScope, condition, sleep } from '@temporalio/workflow'
import type { CallOutcome } from '../domain/workflow-outcomes.ts'
import type { Activities } from './activity-port.ts'
import type { Wakeups } from './wakeups.ts'

export interface Executing {
  readonly wakeups: Wakeups
  readonly once: Pick<Activities, 'executeCall'>
  readonly database: Pick<Activities, 'settleUnknown'>
}

const againDelayFirstMs = 1000
const againDelayMostMs = 60_000

/**
 * Issues a call. When the activity fails or times out, the store says whether the effect may have happened:
 * only what had not started is issued again, ever more slowly.
 */
export async function executeOnce(executing: Executing, callId: string): Promise<CallOutcome> {
  for (let delayMs = againDelayFirstMs; ; delayMs = Math.min(delayMs * 2, againDelayMostMs)) {
    try {
      return await untilCancelled(executing.wakeups, () => executing.once.executeCall({ callId }))
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error
      const settled = await executing.database.settleUnknown({ callId })
      if (settled.kind !== 'again') return settled
      await sleep(delayMs)
    }
  }
}

/**
 * Runs activities and passes a cancel signal on to them. They ask the store whether the run really is
 * cancelled and otherwise go on, so a forged signal changes nothing.
 */
export async function untilCancelled<T>(wakeups: Wakeups, work: () => Promise<T>): Promise<T> {
  let over = false
  const scope = new CancellationScope({ cancellable: true })
  // What was said before is answered by the activity's own look at the store.
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
