import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import { subjectAttributes, type ActivitySpans } from './activity-spans.ts'
import type { Spans } from './spans.ts'
import { newSpanId, traceOf } from './trace-ids.ts'

/** Records each activity of a run: a span for its way through Temporal, and one for its work. */
export function interceptActivities(
  spans: Spans,
  activities: ActivitySpans,
): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const { runId, workflowId } = info.workflowExecution ?? { runId: '', workflowId: '' }
        const run = traceOf(workflowId)
        if (run === null) return next(input)
        const { traceId } = run
        const attributes = {
          // The names that Temporal's own interceptors give these two.
          temporalWorkflowId: workflowId,
          run_id: runId,
          'temporal.activity_type': info.activityType,
          'temporal.attempt': info.attempt,
          ...subjectAttributes(input.args[0]),
        }
        // From the workflow's command until this process has the activity.
        const scheduled = { traceId, spanId: newSpanId() }
        spans.record({
          name: `workflow schedules ${info.activityType}`,
          kind: 'internal',
          place: scheduled,
          parentSpanId: run.spanId,
          startMs: info.currentAttemptScheduledTimestampMs,
          endMs: Date.now(),
          attributes,
          error: null,
        })
        const name = `activity ${info.activityType}`
        const span = { name, traceId, parentSpanId: scheduled.spanId, attributes }
        return activities.within(span, () => next(input))
      },
    },
  })
}
