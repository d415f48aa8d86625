import { WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from '@temporalio/client'
import type { NamespaceGuard } from '../namespace-guard.ts'
import type { TemporalClient } from '../temporal-client.ts'

/** The workflow that waits for a program's request; the id says which. */
export function approvalWorkflowId(requestId: string): string {
  return `approval:${requestId}`
}

/**
 * Starts the workflow that waits for a program's request, if none runs. One that was terminated
 * behind our back is started afresh: it decides nothing, and reads where the request stands.
 */
export async function startApproval(
  delivering: {
    readonly guard: NamespaceGuard
    readonly temporal: TemporalClient
    readonly taskQueue: string
  },
  requestId: string,
): Promise<'started' | 'was_started'> {
  await delivering.guard.confirm()
  try {
    await delivering.temporal.withDeadline(() =>
      delivering.temporal.client.workflow.start('approvalRequest', {
        workflowId: approvalWorkflowId(requestId),
        taskQueue: delivering.taskQueue,
        args: [{ requestId }],
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      }),
    )
    return 'started'
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'was_started'
    throw error
  }
}
