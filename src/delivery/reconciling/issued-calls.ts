import { isGrpcServiceError } from '@temporalio/client'
import { defaultPayloadConverter } from '@temporalio/common'
import type { Activities } from '#workflows/activity-port.ts'
import type { TemporalClient } from '../temporal-client.ts'
import { listWorkflows } from './workflows.ts'

const executing: keyof Activities = 'executeCall'

/**
 * The calls that a workflow, in all of its runs, had an executor look at, by their ids: what is not
 * among them did not run. `null` when Temporal has no history of it, or not all: what it continued
 * from may be past its retention. Rejects when Temporal does not answer.
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
      .catch(unlessGone)
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

/** NOT_FOUND of gRPC, which `fetchHistory` does not turn into an error of the SDK. */
const notFound: ReadonlySet<number> = new Set([5])

/** A history that ended its retention between the list and the look. */
function unlessGone(error: unknown): null {
  if (isGrpcServiceError(error) && notFound.has(error.code)) return null
  throw error
}
