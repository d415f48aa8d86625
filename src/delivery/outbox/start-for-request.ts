import { WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from '@temporalio/client'
import type { WaitPosition } from '#workflows/messages.ts'
import type { NamespaceGuard } from '../namespace-guard.ts'
import type { ListingOptions, RunListing } from '../run-listing.ts'
import { workflowTaskTimeout, type TemporalClient } from '../temporal-client.ts'

interface StartContext {
  readonly guard: NamespaceGuard
  readonly temporal: TemporalClient
  /** the workflows' own queue */
  readonly taskQueue: string
  /** absent: Temporal's list has only the ids of requests */
  readonly listing?: RunListing
}

/** The workflow that waits for a program's request, by its id. */
export function approvalWorkflowId(requestId: string): string {
  return `approval:${requestId}`
}

/**
 * Starts the workflow that waits for a program's request, if none runs. A terminated one is started
 * again: it decides nothing, and reads the request's state.
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

/** The id of the workflow that makes a gateway call: of two, Temporal runs one. */
export function gatewayWorkflowIdOf(requestId: string): string {
  return `gateway:${requestId}`
}

/**
 * Starts the workflow that makes an approved gateway call, if none runs; `taskQueue` is that of the
 * host with the server. After one that ended before the call was made, another may start: the store
 * permits a call once.
 */
export async function startGatewayCall(
  delivering: StartContext,
  input: { readonly requestId: string; readonly taskQueue: string },
): Promise<void> {
  const workflowId = gatewayWorkflowIdOf(input.requestId)
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
  const start = (options: ListingOptions, wait: Pick<WaitPosition, 'nextDeadlineMs'>) =>
    temporal.withDeadline(() =>
      temporal.client.workflow.start(workflow, {
        ...options,
        workflowId,
        taskQueue,
        args: [{ ...input, ...wait }],
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        workflowTaskTimeout,
      }),
    )
  try {
    await (listing === undefined
      ? start({}, {})
      : listing.startOfRequest(input.requestId, state, start))
    return 'started'
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'was_started'
    throw error
  }
}
