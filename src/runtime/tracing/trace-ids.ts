import { randomBytes } from 'node:crypto'

/** The place of a span in its trace: the span above it. */
export interface SpanPlace {
  /** 32 hexadecimal digits */
  readonly traceId: string
  /** 16 hexadecimal digits */
  readonly spanId: string
}

const uuidAtEnd = /([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/i

/**
 * The trace of a run, or of a program's request: its id without hyphens, and as its first span the
 * second half. Every process that has the id knows the trace: nothing about it is sent through
 * Temporal or stored. `null` when the text (an id, or a workflow's id, which ends with one) names
 * neither.
 */
export function traceOf(idOrWorkflowId: string): SpanPlace | null {
  const [, ...parts] = uuidAtEnd.exec(idOrWorkflowId) ?? []
  if (parts.length === 0) return null
  const traceId = parts.join('').toLowerCase()
  return { traceId, spanId: traceId.slice(16) }
}

/** The span of an HTTP request: the second half of its id, a UUID or 32 hexadecimal digits. */
export function spanOfRequest(requestId: string): string {
  return requestId.replaceAll('-', '').slice(-16)
}

/**
 * The caller's place in a trace of its own, from the header `traceparent` (W3C Trace Context);
 * `null` without a valid one.
 */
export function placeOfCaller(traceparent: string | undefined): SpanPlace | null {
  const [, traceId, spanId] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined) return null
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? null : { traceId, spanId }
}

/** A random span id: 16 hex digits. */
export function newSpanId(): string {
  return randomBytes(8).toString('hex')
}
