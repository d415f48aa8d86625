import { errorTypeOf } from '../metrics/error-type.ts'
import type { SpanPlace } from './trace-ids.ts'

/** Names and values of OpenTelemetry's conventions where it has some. */
export type SpanAttributes = Readonly<Record<string, string | number>>

/**
 * A finished span. Attributes are ids and names of the service, never arguments (security.md 25).
 * Times in ms of the epoch.
 */
export interface FinishedSpan {
  readonly name: string
  readonly kind: 'server' | 'client' | 'internal'
  readonly place: SpanPlace
  /** of the same trace; null: the trace's first span */
  readonly parentSpanId: string | null
  readonly startMs: number
  readonly endMs: number
  readonly attributes: SpanAttributes
  /** the `error.type` of one that failed; null: it did not */
  readonly error: string | null
  /** another span that it belongs to */
  readonly link?: SpanPlace | null
}

export interface Spans extends AsyncDisposable {
  record(span: FinishedSpan): void
  /** The header value `traceparent` of a span, which says whether its trace is kept. */
  traceparentOf(place: SpanPlace): string
}

/**
 * Runs the work and records it as a span, also when it fails. `failureOf` returns the `error.type`
 * of a result that is a failure, or null.
 */
export async function withSpan<T>(
  spans: Spans,
  span: Omit<FinishedSpan, 'startMs' | 'endMs' | 'error'>,
  work: () => Promise<T>,
  failureOf: (result: T) => string | null = () => null,
): Promise<T> {
  const startMs = Date.now()
  const end = (error: string | null): void =>
    spans.record({ ...span, startMs, endMs: Date.now(), error })
  try {
    const result = await work()
    end(failureOf(result))
    return result
  } catch (error) {
    end(errorTypeOf(error))
    throw error
  }
}
