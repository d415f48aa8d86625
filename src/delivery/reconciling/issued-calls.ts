import { isGrpcServiceError } from '@temporalio/client'
import { defaultPayloadConverter } from '@temporalio/common'
import type { Activities } from '#workflows/activity-port.ts'
import type { TemporalClient } from '../temporal-client.ts'
import { listWorkflows } from './workflows.ts'

const executing: keyof Activities = 'executeCall'

/**
 * Ids of the calls that a workflow passed to an executor, over all of its Temporal runs: no other
 * call ran. `null` when Temporal has no complete history of it, because an earlier part is past
 * retention. Rejects when Temporal does not answer.
 */
export async function issuedCalls(
  temporal: TemporalClient,
  workflowId: string,
): Promise<ReadonlySet<string> | null> {
  const calls = new Set<string>()
  const issued = new Set<string>()
  const continued = new Set<string>()
  const query = `WorkflowId = ${JSON.stringify(workflowId)}`
  for await (const { runId } of listWorkflows(temporal, query)) {
    const history = await temporal
      .withDeadline(() => temporal.client.workflow.getHandle(workflowId, runId).fetchHistory())
      .catch(nullIfNotFound)
    if (history !== null) issued.add(runId)
    for (const event of history?.events ?? []) {
      const from = event.workflowExecutionStartedEventAttributes?.continuedExecutionRunId
      if (from) continued.add(from)
      const scheduled = event.activityTaskScheduledEventAttributes
      if (scheduled?.activityType?.name !== executing) continue
      const [payload] = scheduled.input?.payloads ?? []
      if (payload === undefined) continue
      const { callId } =
        defaultPayloadConverter.fromPayload<Parameters<Activities['executeCall']>[0]>(payload)
      calls.add(callId)
    }
  }
  const isWhole = issued.size > 0 && [...continued].every((runId) => issued.has(runId))
  return isWhole ? calls : null
}

/** gRPC's NOT_FOUND, which `fetchHistory` does not turn into an error of the SDK. */
const notFound: ReadonlySet<number> = new Set([5])

/** `null` if the history was removed after it was listed. */
function nullIfNotFound(error: unknown): null {
  if (isGrpcServiceError(error) && notFound.has(error.code)) return null
  throw error
}
