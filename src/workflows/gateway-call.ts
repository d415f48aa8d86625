import { ActivityFailure, continueAsNew, sleep, workflowInfo } from '@temporalio/workflow'
import { databaseActivities, onceActivities, wasHostLost } from './activity-proxies.ts'
import { countOf, idOf, queueOf } from './untrusted.ts'

const firstWaitMs = 1000
/** A caller who calls again does not wake the workflow, and counts as waiting for ten minutes. */
const maxWaitMs = 60_000
/**
 * How far the next tries of calls that one host lost together are apart at most: one of them may
 * end the host again. A host that is away for longer gets them all at once.
 */
const spreadMs = 10_000

/**
 * Makes one approved call of the gateway on the host that holds its server. The store judges
 * whether the call may be made, even if somebody started this workflow by hand. It also settles a
 * call whose activity failed: one that has not begun is tried again while its permit is live, which
 * may be for years, unless it takes its host down.
 */
export async function gatewayCall(input: {
  readonly requestId: string
  readonly taskQueue: string
  /** from the execution before, if this one continues it: tries during which the host was lost */
  readonly lostTries?: number
}): Promise<void> {
  const [requestId, taskQueue] = [idOf(input?.requestId), queueOf(input?.taskQueue)]
  if (requestId === null || taskQueue === null) return
  let lostTries = countOf(input.lostTries)
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
    let isLost = false
    try {
      await onceActivities(taskQueue, 'approved call').executeGatewayCall({ requestId })
      return
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error
      // A host that is away does not start the activity, and is not lost by it.
      isLost = wasHostLost(error)
      if (isLost) lostTries += 1
    }
    const settlement = await databaseActivities().settleGatewayCall({ requestId, lostTries })
    if (settlement?.again !== true) return
    await sleep(waitMs + (isLost ? Math.round(spreadMs * Math.random()) : 0))
    // `patched` is not needed: no history of an earlier version is long enough to come here.
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof gatewayCall>({ requestId, taskQueue, lostTries })
    }
  }
}
