import { WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from '@temporalio/client'
import type { NamespaceGuard } from '../namespace-guard.ts'
import type { ListingOptions, RunListing } from '../run-listing.ts'
import type { TemporalClient } from '../temporal-client.ts'

interface StartContext {
  readonly guard: NamespaceGuard
  readonly temporal: TemporalClient
  /** the workflows' own queue */
  readonly taskQueue: string
  /** absent: Temporal's list says nothing of requests but their ids */
  readonly listing?: RunListing
}

/** The workflow that waits for a program's request; the id says which. */
export function approvalWorkflowId(requestId: string): string {
  return `approval:${requestId}`
}

/**
 * Starts the workflow that waits for a program's request, if none runs. One that was terminated
 * behind our back is started afresh: it decides nothing, and reads where the request stands.
 */
export function startApproval(
  delivering: StartContext,
  requestId: string,
): Promise<'started' | 'was_started'> {
  const workflowId = approvalWorkflowId(requestId)
  return startForRequest(delivering, {
    workflow: 'approvalRequest',
    state: 'waiting_for_approval',
    workflowId,
    input: { requestId },
  })
}

/**
 * Starts the workflow that makes an approved call of the gateway, if none runs; `taskQueue` is that
 * of the host with the server. One that ended before the call was made may be followed by another:
 * the store lets a call be made once.
 */
export async function startGatewayCall(
  delivering: StartContext,
  input: { readonly requestId: string; readonly taskQueue: string },
): Promise<void> {
  const workflowId = `gateway:${input.requestId}`
  await startForRequest(delivering, {
    workflow: 'gatewayCall',
    state: 'running',
    workflowId,
    input,
  })
}

async function startForRequest(
  { guard, listing, taskQueue, temporal }: StartContext,
  started: {
    readonly workflow: 'approvalRequest' | 'gatewayCall'
    readonly state: 'waiting_for_approval' | 'running'
    readonly workflowId: string
    readonly input: { readonly requestId: string }
  },
): Promise<'started' | 'was_started'> {
  const { input, state, workflow, workflowId } = started
  await guard.confirm()
  const start = (listed: ListingOptions) =>
    temporal.withDeadline(() =>
      temporal.client.workflow.start(workflow, {
        ...listed,
        workflowId,
        taskQueue,
        args: [input],
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      }),
    )
  try {
    await (listing === undefined
      ? start({})
      : listing.startOfRequest(input.requestId, state, start))
    return 'started'
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'was_started'
    throw error
  }
}
