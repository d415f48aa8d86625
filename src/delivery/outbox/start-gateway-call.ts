import { WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from '@temporalio/client'
import type { NamespaceGuard } from '../namespace-guard.ts'
import type { TemporalClient } from '../temporal-client.ts'

/**
 * Starts the workflow that makes an approved call of the gateway, if none runs. One that ended
 * before the call was made may be followed by another: the store lets a call be made once.
 */
export async function startGatewayCall(
  delivering: {
    readonly guard: NamespaceGuard
    readonly temporal: TemporalClient
    /** the workflows' own queue */
    readonly taskQueue: string
  },
  call: { readonly requestId: string; readonly taskQueue: string },
): Promise<void> {
  await delivering.guard.confirm()
  try {
    await delivering.temporal.withDeadline(() =>
      delivering.temporal.client.workflow.start('gatewayCall', {
        workflowId: `gateway:${call.requestId}`,
        taskQueue: delivering.taskQueue,
        args: [call],
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      }),
    )
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
