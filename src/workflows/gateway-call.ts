import { ActivityFailure, sleep } from '@temporalio/workflow'
import { databaseActivities, onceActivities } from './activity-proxies.ts'
import { idOf, queueOf } from './untrusted.ts'

const firstWaitMs = 1000
/** A month of them is fewer events than a history may have. */
const maxWaitMs = 15 * 60_000

/**
 * Makes one approved call of the gateway on the host that holds its server. The store judges
 * whether the call may be made, even if somebody started this workflow by hand. It also settles a
 * call whose activity was lost: one that has not begun is tried again while its permit is live.
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
