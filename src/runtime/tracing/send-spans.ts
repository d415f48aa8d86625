import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { version } from '../version.ts'
import type { Spans } from './spans.ts'
import type { SpanPlace } from './trace-ids.ts'
import type { TracingConfig } from './tracing-config.ts'

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

/**
 * Sends spans to a collector by OTLP over HTTP, in batches, in the background: what a collector
 * does not accept in time is lost. Every process keeps the same traces, since the sampler uses only
 * the trace's id. Dispose sends the rest, for `lastMs` at most.
 */
export function sendSpans(config: TracingConfig, service: string, lastMs: number): Spans {
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
