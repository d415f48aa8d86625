import { AsyncLocalStorage } from 'node:async_hooks'
import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import type { AuditEntry } from '#domain/audit-event.ts'
import { isObject } from '#domain/json/is-object.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import type { ModelUsage } from '#models/model.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import type { EndedStep } from '../metrics/observed-model.ts'
import { withSpan, type SpanAttributes, type Spans } from './spans.ts'
import { recordStartedRuns } from './trace-api.ts'
import { newSpanId, traceOf, type SpanPlace } from './trace-ids.ts'

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
  const activities = new AsyncLocalStorage<SpanPlace>()

  /** Runs the work in a span of the trace; spans that it starts become children. */
  function within<T>(
    {
      traceId,
      ...span
    }: {
      name: string
      traceId: string
      parentSpanId: string
      attributes: SpanAttributes
    },
    work: (place: SpanPlace) => Promise<T>,
  ): Promise<T> {
    const place = { traceId, spanId: newSpanId() }
    return withSpan(
      spans,
      { ...span, kind: 'internal', place },
      () => activities.run(place, work, place),
      (result) => (isFailure(result) ? 'tool_error' : null),
    )
  }

  return {
    recordEvents: (entries) => recordStartedRuns(spans, entries),
    interceptor: ({ info }) => ({
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
            ...idsOf(input.args[0]),
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
          return within({ name, traceId, parentSpanId: scheduled.spanId, attributes }, () =>
            next(input),
          )
        },
      },
    }),
    aroundTool: ({ callId, tool }, act) => {
      const above = activities.getStore()
      if (above === undefined) return act({})
      const attributes = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool.name,
        'gen_ai.tool.call.id': callId,
        'countersign.call_id': callId,
        ...(tool.server === undefined
          ? {}
          : { 'mcp.method.name': 'tools/call', 'network.transport': tool.server.transport }),
      }
      const { traceId, spanId: parentSpanId } = above
      const name = `execute_tool ${tool.name}`
      return within({ name, traceId, parentSpanId, attributes }, (place) =>
        act({ traceparent: spans.traceparentOf(place) }),
      )
    },
    stepEnded: ({ runId, provider, model, responseModel, startMs, endMs, usage, error }) => {
      const above = activities.getStore()
      if (above === undefined) return
      spans.record({
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
      })
    },
    aroundTurn: ({ runId }, act) => {
      const above = activities.getStore()
      if (above === undefined) return act()
      const { traceId, spanId: parentSpanId } = above
      const attributes = idsOf({ runId })
      return within({ name: 'activity takeTurn', traceId, parentSpanId, attributes }, act)
    },
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

/** Whether work returned the error of a tool, rather than failing itself. */
function isFailure(result: unknown): boolean {
  return isObject(result) && result['type'] === ('error' satisfies ToolResult['type'])
}

/** The subject of an activity: the ids in its input and nothing else. */
function idsOf(argument: unknown): Record<string, string> {
  const ids: Record<string, string> = {}
  for (const name of ['runId', 'callId', 'requestId'] as const) {
    const value = Object(argument)[name] as unknown
    if (typeof value === 'string' && traceOf(value) !== null && value.length === 36) {
      ids[`countersign.${name.replace('Id', '_id')}`] = value
    }
  }
  return ids
}
