import { CountersignError, type Client } from '@countersign/client'
import { decidedSignal } from './decided-signal.ts'

/** What this needs of a client of Temporal (`@temporalio/client`). */
export interface SignallingClient {
  readonly workflow: {
    getHandle(workflowId: string): { signal(name: string, ...args: unknown[]): Promise<void> }
  }
}

/**
 * Serves the address that `createCountersignActivities` was given: wakes the workflow whose call was
 * decided. The signal says only which call to look at, so whoever repeats a callback changes
 * nothing. Answers `401` to what the service did not sign, and `503`, after which the service calls
 * again, while Temporal is away.
 */
export async function handleCallback(
  request: Request,
  client: Client,
  temporal: SignallingClient,
): Promise<Response> {
  const workflowId = new URL(request.url).searchParams.get('workflow')
  if (workflowId === null) return new Response('no workflow is named', { status: 400 })
  try {
    const { externalId } = await client.verifyCallback(request)
    await temporal.workflow.getHandle(workflowId).signal(decidedSignal, externalId)
  } catch (error) {
    if (error instanceof CountersignError) return new Response(error.message, { status: 401 })
    // A workflow that has ended waits for nothing.
    if (!(error instanceof Error) || error.name !== 'WorkflowNotFoundError')
      return new Response('the workflow could not be woken', { status: 503 })
  }
  return new Response(null, { status: 204 })
}
