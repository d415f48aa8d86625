import { ActivityFailure, continueAsNew, sleep, workflowInfo } from '@temporalio/workflow'
import { databaseActivities, onceActivities } from './activity-proxies.ts'
import { idOf, queueOf } from './untrusted.ts'

const firstWaitMs = 1000
/** A caller who calls again does not wake the workflow, and counts as waiting for ten minutes. */
const maxWaitMs = 60_000

/**
 * Makes one approved call of the gateway on the host that holds its server. The store judges
 * whether the call may be made, even if somebody started this workflow by hand. It also settles a
 * call whose activity was lost: one that has not begun is tried again while its permit is live,
 * which may be for years.
 */
export async function gatewayCall(input: {
  readonly requestId: string
  readonly taskQueue: string
}): Promise<void> {
  const [requestId, taskQueue] = [idOf(input?.requestId), queueOf(input?.taskQueue)]
  if (requestId === null || taskQueue === null) return
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
    if (await hasEnded(requestId, taskQueue)) return
    await sleep(waitMs)
    // Not behind `patched`: no history of a version without this is so long.
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof gatewayCall>({ requestId, taskQueue })
    }
  }
}

/** False: the call has not begun, since its activity failed before. */
async function hasEnded(requestId: string, taskQueue: string): Promise<boolean> {
  try {
    await onceActivities(taskQueue, 'approved call').executeGatewayCall({ requestId })
    return true
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error
    const settlement = await databaseActivities().settleGatewayCall({ requestId })
    return settlement?.again !== true
  }
}
