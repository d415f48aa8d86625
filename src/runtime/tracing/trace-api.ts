import type { ClientInterceptors } from '@temporalio/client'
import type { AnsweredRequest } from '#api/context/api.ts'
import type { AuditEntry } from '#domain/audit-event.ts'
import { currentRequest } from '#services/core/current-request.ts'
import type { Spans } from './spans.ts'
import { newSpanId, placeOfCaller, spanOfRequest, traceOf } from './trace-ids.ts'

/** Traces an API process: its answers, the runs that it starts, and its calls of Temporal. */
export interface ApiTracing {
  answered(answer: AnsweredRequest): void
  recorded(entries: readonly AuditEntry[]): void
  readonly interceptors: ClientInterceptors
}

/**
 * Spans of an API process. An answer belongs to the trace of the first run (or program's request)
 * that it recorded an event of; otherwise to its caller's trace, or to one of its own.
 */
export function traceApi(spans: Spans): ApiTracing {
  return {
    answered: (answer) => {
      const { current, route, method, status, startedAt, durationMs } = answer
      if (current === null || route === null || !route.startsWith('/v1/')) return
      const caller = placeOfCaller(current.traceparent)
      const run = current.subject === null ? null : traceOf(current.subject)
      const spanId = spanOfRequest(current.requestId)
      const own = current.requestId.replaceAll('-', '')
      spans.record({
        name: `${method} ${route}`,
        kind: 'server',
        place: { traceId: run?.traceId ?? caller?.traceId ?? own, spanId },
        parentSpanId: run?.spanId ?? caller?.spanId ?? null,
        startMs: startedAt,
        endMs: startedAt + durationMs,
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'countersign.http_request_id': current.requestId,
        },
        failed: status >= 500,
        link: run === null ? null : caller,
      })
    },
    recorded: (entries) => {
      const current = currentRequest.getStore()
      for (const entry of entries) {
        if (current !== undefined) current.subject ??= entry.runId ?? entry.requestId ?? null
      }
      recordStartedRuns(spans, entries)
    },
    interceptors: {
      workflow: [
        {
          startWithDetails: ({ workflowType, options, ...input }, next) =>
            toTemporal(spans, `start ${workflowType}`, options.workflowId, () =>
              next({ workflowType, options, ...input }),
            ),
          signal: (input, next) =>
            toTemporal(
              spans,
              `signal ${input.signalName}`,
              input.workflowExecution.workflowId ?? '',
              () => next(input),
            ),
        },
      ],
    },
  }
}

/** The first span of each run that has just begun. */
export function recordStartedRuns(spans: Spans, entries: readonly AuditEntry[]): void {
  const now = Date.now()
  for (const { type, runId } of entries) {
    const place = type === 'run.started' && runId !== undefined ? traceOf(runId) : null
    if (place === null || runId === undefined) continue
    const attributes = { 'countersign.run_id': runId }
    const times = { startMs: now, endMs: now }
    spans.record({ name: 'run', kind: 'internal', place, parentSpanId: null, ...times, attributes })
  }
}

/**
 * A call to Temporal about a workflow, below the request that made it if that is of the same run.
 */
async function toTemporal<T>(
  spans: Spans,
  name: string,
  workflowId: string,
  call: () => Promise<T>,
): Promise<T> {
  const run = traceOf(workflowId)
  if (run === null) return call()
  const current = currentRequest.getStore()
  if (current !== undefined) current.subject ??= workflowId
  const isOfRequest =
    current !== undefined && traceOf(current.subject ?? '')?.traceId === run.traceId
  const startMs = Date.now()
  let failed = true
  try {
    const answer = await call()
    failed = false
    return answer
  } finally {
    spans.record({
      name,
      kind: 'client',
      place: { traceId: run.traceId, spanId: newSpanId() },
      parentSpanId: isOfRequest ? spanOfRequest(current.requestId) : run.spanId,
      startMs,
      endMs: Date.now(),
      attributes: { 'temporal.workflow_id': workflowId },
      failed,
    })
  }
}
