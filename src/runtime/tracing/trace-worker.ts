import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import type { AuditEntry } from '#domain/audit-event.ts'
import type { Tool } from '#domain/tools/tool.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import type { EndedStep } from '../metrics/observed-model.ts'
import { ActivitySpans, subjectAttributes } from './activity-spans.ts'
import type { SpanAttributes, Spans, FinishedSpan } from './spans.ts'
import { recordStartedRuns } from './trace-api.ts'
import type { ModelUsage } from '#models/model.ts'
import { newSpanId, type SpanPlace, traceOf } from './trace-ids.ts'

/**
 * Traces of a Temporal worker: the steps that its workflows schedule, the activities, their tools
 * and the steps of models.
 */
export interface WorkerTracing {
  recordEvents(entries: readonly AuditEntry[]): void
  readonly interceptor: ActivityInterceptorsFactory
  readonly aroundTool: NonNullable<WorkerContext['aroundTool']>
  readonly aroundTurn: NonNullable<WorkerContext['aroundTurn']>
  /** Records a step of a model, below the activity that took it. */
  stepEnded(step: EndedStep): void
}

/** Spans of a Temporal worker, in the traces of the runs that its activities are of. */
export function traceWorker(spans: Spans): WorkerTracing {
  const activities = new ActivitySpans(spans)
  return {
    recordEvents: (entries) => recordStartedRuns(spans, entries),
    interceptor: interceptActivities(spans, activities),
    aroundTool: ({ callId, tool }, act) => {
      const span = { name: `execute_tool ${tool.name}`, attributes: toolAttributes(callId, tool) }
      return activities.below(span, (place) =>
        act(place === null ? {} : { traceparent: spans.traceparentOf(place) }),
      )
    },
    stepEnded: (step) => {
      const { above } = activities
      if (above !== null) spans.record(modelSpan(step, above))
    },
    aroundTurn: ({ runId }, act) =>
      activities.below(
        { name: 'activity takeTurn', attributes: subjectAttributes({ runId }) },
        act,
      ),
  }
}

function toolAttributes(callId: string, tool: Pick<Tool, 'name' | 'server'>): SpanAttributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool.name,
    'gen_ai.tool.call.id': callId,
    'countersign.call_id': callId,
    ...(tool.server === undefined
      ? {}
      : { 'mcp.method.name': 'tools/call', 'network.transport': tool.server.transport }),
  }
}

/** The span of a step of a model, below the activity that took it. */
function modelSpan(step: EndedStep, above: SpanPlace): FinishedSpan {
  const { runId, provider, model, responseModel, startMs, endMs, usage, error } = step
  return {
    name: `chat ${model}`,
    kind: 'client',
    place: { traceId: above.traceId, spanId: newSpanId() },
    parentSpanId: above.spanId,
    startMs,
    endMs,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      ...(responseModel === undefined ? {} : { 'gen_ai.response.model': responseModel }),
      'gen_ai.conversation.id': runId,
      ...(usage === null ? {} : tokensOf(usage)),
    },
    error,
  }
}

function tokensOf({ cachedInputTokens, inputTokens, outputTokens }: ModelUsage): SpanAttributes {
  return {
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    ...(cachedInputTokens === undefined
      ? {}
      : { 'gen_ai.usage.cache_read.input_tokens': cachedInputTokens }),
  }
}

/** Records each activity of a run: a span for its way through Temporal, and one for its work. */
function interceptActivities(spans: Spans, activities: ActivitySpans): ActivityInterceptorsFactory {
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
