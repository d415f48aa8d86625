import type { ClientInterceptors } from '@temporalio/client'
import type { AnsweredRequest } from '#api/context/api.ts'
import type { AuditEntry } from '#domain/audit-event.ts'
import { currentRequest } from '#services/core/current-request.ts'
import type { McpMessage } from '#api/context/mcp-message.ts'
import { withSpan, type FinishedSpan, type Spans } from './spans.ts'
import { newSpanId, placeOfCaller, spanOfRequest, traceOf } from './trace-ids.ts'

/** Traces an API process: its answers, the runs that it starts, and its calls of Temporal. */
export interface ApiTracing {
  recordAnswer(answer: AnsweredRequest): void
  recordEvents(entries: readonly AuditEntry[]): void
  readonly interceptors: ClientInterceptors
}

/**
 * Spans of an API process. An answer belongs to the trace of the first run (or program's request)
 * that it recorded an event of; otherwise to its caller's trace, or to one of its own.
 */
export function traceApi(spans: Spans): ApiTracing {
  return {
    recordAnswer: (answer) => {
      const { current, durationMs, mcp, route, startedAt } = answer
      if (current === null || route === null || !/^\/(?:v1|mcp)\//.test(route)) return
      const caller = placeOfCaller(mcp?.traceparent ?? current.traceparent)
      const run = current.subject === null ? null : traceOf(current.subject)
      const spanId = spanOfRequest(current.requestId)
      const own = current.requestId.replaceAll('-', '')
      spans.record({
        ...(mcp === null ? httpSpan(answer, route) : mcpSpan(mcp)),
        kind: 'server',
        place: { traceId: run?.traceId ?? caller?.traceId ?? own, spanId },
        parentSpanId: run?.spanId ?? caller?.spanId ?? null,
        startMs: startedAt,
        endMs: startedAt + durationMs,
        link: run === null ? null : caller,
      })
    },
    recordEvents: (entries) => {
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

type SpanFacts = Pick<FinishedSpan, 'name' | 'attributes' | 'error'>

function httpSpan({ current, method, status }: AnsweredRequest, route: string): SpanFacts {
  return {
    name: `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      ...(current === null ? {} : { 'countersign.http_request_id': current.requestId }),
    },
    error: status >= 500 ? String(status) : null,
  }
}

/** By OpenTelemetry's conventions for servers of the Model Context Protocol. */
function mcpSpan({ error, method, protocolVersion, tool }: McpMessage): SpanFacts {
  return {
    name: tool === null ? method : `${method} ${tool}`,
    attributes: {
      'mcp.method.name': method,
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      ...(protocolVersion === null ? {} : { 'mcp.protocol.version': protocolVersion }),
      ...(tool === null
        ? {}
        : { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool }),
      ...(error !== null && /^-?\d+$/.test(error) ? { 'rpc.response.status_code': error } : {}),
    },
    error,
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
    const of = { parentSpanId: null, ...times, attributes, error: null }
    spans.record({ name: 'run', kind: 'internal', place, ...of })
  }
}

/** A call to Temporal about a workflow, below its request if that is of the same run. */
async function toTemporal<T>(
  spans: Spans,
  name: string,
  workflowId: string,
  call: () => Promise<T>,
): Promise<T> {
  const run = traceOf(workflowId)
  if (run === null) return call()
  const current = currentRequest.getStore()
  // A judgement has a workflow of its own, and belongs to the trace of the events that are recorded
  // after it.
  if (current !== undefined && !workflowId.startsWith('judge:')) current.subject ??= workflowId
  const isOfRequest =
    current !== undefined && traceOf(current.subject ?? '')?.traceId === run.traceId
  const span = {
    name,
    kind: 'client',
    place: { traceId: run.traceId, spanId: newSpanId() },
    parentSpanId: isOfRequest ? spanOfRequest(current.requestId) : run.spanId,
    attributes: { temporalWorkflowId: workflowId },
  } as const
  return withSpan(spans, span, call)
}
