import { CountersignError, type Client } from '@countersign/client'
import { decidedSignal } from './decided-signal.ts'

/** A client of Temporal (`@temporalio/client`), as far as this package uses it. */
export interface SignallingClient {
  readonly workflow: {
    getHandle(workflowId: string): { signal(name: string, ...args: unknown[]): Promise<void> }
  }
}

/**
 * Serves the `callbackUrl` of `createCountersignActivities`: signals the workflow whose call was
 * decided. The signal only names the call, and the workflow reads the decision from the service, so
 * a repeated callback changes nothing. Answers `401` to a callback that the service did not sign.
 * While Temporal is unreachable it answers `503`, and the service sends the callback again.
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
    // The workflow has ended, so there is nothing to signal.
    if (!(error instanceof Error) || error.name !== 'WorkflowNotFoundError')
      return new Response('the workflow could not be woken', { status: 503 })
  }
  return new Response(null, { status: 204 })
}
