import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import type { AuditEntry } from '#domain/audit-event.ts'
import type { Tool } from '#domain/tools/tool.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import type { EndedStep } from '../metrics/observed-model.ts'
import { interceptActivities } from './activity-interceptor.ts'
import { ActivitySpans, subjectAttributes } from './activity-spans.ts'
import { modelSpan } from './model-span.ts'
import type { SpanAttributes, Spans } from './spans.ts'
import { recordStartedRuns } from './trace-api.ts'

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
