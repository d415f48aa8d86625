import { ActivityFailure } from '@temporalio/workflow'
import { databaseActivities, onceActivities } from './activity-proxies.ts'
import { idOf, queueOf } from './untrusted.ts'

/**
 * Makes one approved call of the gateway on the host that holds its server. The store judges
 * whether the call may be made, even if somebody started this workflow by hand. It also settles a
 * call whose activity was lost.
 */
export async function gatewayCall(input: {
  readonly requestId: string
  readonly taskQueue: string
}): Promise<void> {
  const [requestId, taskQueue] = [idOf(input?.requestId), queueOf(input?.taskQueue)]
  if (requestId === null || taskQueue === null) return
  try {
    await onceActivities(taskQueue, 'approved call').executeGatewayCall({ requestId })
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error
    await databaseActivities().settleGatewayCall({ requestId })
  }
}
