import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { errorTypeOf } from '../metrics/error-type.ts'
import { version } from '../version.ts'
import type { SpanPlace } from './trace-ids.ts'
import type { TracingConfig } from './tracing-config.ts'

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

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

/**
 * Sends spans to a collector by OTLP over HTTP, in batches, in the background: what a collector
 * does not accept in time is lost. Every process keeps the same traces, since the sampler uses only
 * the trace's id. Dispose sends the rest, for `lastMs` at most.
 */
export function openSpans(config: TracingConfig, service: string, lastMs: number): Spans {
  let next: SpanPlace = { traceId: '', spanId: '' }
  const exporter = new OTLPTraceExporter({
    url: config.url,
    headers: { ...config.headers },
    timeoutMillis: 5_000,
  })
  const sampler = new TraceIdRatioBasedSampler(config.ratio)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': config.serviceName ?? service,
      'service.version': version,
    }),
    sampler,
    // Ids are derived from those of runs and requests.
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 2_000 })],
  })
  const tracer = provider.getTracer('countersign', version)
  return {
    record: ({ name, kind, place, parentSpanId, startMs, endMs, attributes, error, link }) => {
      next = place
      const context =
        parentSpanId === null
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, contextOf({ ...place, spanId: parentSpanId }))
      const links = link ? [{ context: contextOf(link) }] : []
      const options = {
        kind: kinds[kind],
        startTime: startMs,
        attributes: { ...attributes, ...(error === null ? {} : { 'error.type': error }) },
        links,
      }
      const span = tracer.startSpan(name, options, context)
      if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(endMs)
    },
    traceparentOf: ({ traceId, spanId }) => {
      const { decision } = sampler.shouldSample(ROOT_CONTEXT, traceId)
      const isKept = decision === SamplingDecision.RECORD_AND_SAMPLED
      return `00-${traceId}-${spanId}-${isKept ? '01' : '00'}`
    },
    async [Symbol.asyncDispose]() {
      const shutdown = provider.shutdown().catch(() => undefined)
      const { promise: enough, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, lastMs)
      await Promise.race([shutdown, enough])
      clearTimeout(timer)
    },
  }
}

function contextOf(place: SpanPlace) {
  return { ...place, traceFlags: TraceFlags.SAMPLED, isRemote: true }
}
