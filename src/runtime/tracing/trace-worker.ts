import { AsyncLocalStorage } from 'node:async_hooks'
import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import type { AuditEntry } from '#domain/audit-event.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import type { Spans } from './spans.ts'
import { recordStartedRuns } from './trace-api.ts'
import { newSpanId, traceOf, type SpanPlace } from './trace-ids.ts'

/**
 * Traces of a Temporal worker: the steps that its workflows schedule, the activities, and their
 * tools.
 */
export interface WorkerTracing {
  recorded(entries: readonly AuditEntry[]): void
  readonly interceptor: ActivityInterceptorsFactory
  readonly aroundTool: NonNullable<WorkerContext['aroundTool']>
  readonly aroundTurn: NonNullable<WorkerContext['aroundTurn']>
}

/** Spans of a Temporal worker, in the traces of the runs that its activities are of. */
export function traceWorker(spans: Spans): WorkerTracing {
  const activities = new AsyncLocalStorage<SpanPlace>()

  /** Runs the work in a span of the trace; spans that it starts become children. */
  async function within<T>(
    span: {
      name: string
      traceId: string
      parentSpanId: string
      attributes: Record<string, string | number>
    },
    work: () => Promise<T>,
  ): Promise<T> {
    const place = { traceId: span.traceId, spanId: newSpanId() }
    const startMs = Date.now()
    let failed = true
    try {
      const result = await activities.run(place, work)
      failed = false
      return result
    } finally {
      spans.record({ ...span, kind: 'internal', place, startMs, endMs: Date.now(), failed })
    }
  }

  return {
    recorded: (entries) => recordStartedRuns(spans, entries),
    interceptor: ({ info }) => ({
      inbound: {
        async execute(input, next) {
          const { workflowId } = info.workflowExecution ?? { workflowId: '' }
          const run = traceOf(workflowId)
          if (run === null) return next(input)
          const { traceId } = run
          const attributes = {
            'temporal.workflow_id': workflowId,
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
      if (above === undefined) return act()
      const attributes = { 'countersign.call_id': callId, 'countersign.tool': tool }
      const { traceId, spanId: parentSpanId } = above
      return within({ name: `tool ${tool}`, traceId, parentSpanId, attributes }, act)
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
