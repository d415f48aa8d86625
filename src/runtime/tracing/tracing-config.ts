import { readText } from '../environment.ts'
import type { Environment } from '../environment.ts'

/** The destination of spans, by OpenTelemetry's own variables. */
export interface TracingConfig {
  /** of the collector, `…/v1/traces` */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** the share of traces that are kept, 0 to 1; the same ones in every process */
  readonly ratio: number
  readonly serviceName: string | null
}

/**
 * The settings for traces in the variables `OTEL_*`; `null` when they name no endpoint, or switch
 * the SDK off. Throws a sentence for unsupported settings, since missing spans would not be
 * noticed.
 */
export function readTracingConfig(environment: Environment): TracingConfig | null {
  const text = (name: string): string | undefined => readText(environment, name)
  const base = text('OTEL_EXPORTER_OTLP_ENDPOINT')
  const url =
    text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ??
    (base === undefined ? undefined : `${base.replace(/\/$/, '')}/v1/traces`)
  if (url === undefined || text('OTEL_SDK_DISABLED') === 'true') return null
  if (text('OTEL_TRACES_EXPORTER') === 'none') return null
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new Error('OTEL_EXPORTER_OTLP_ENDPOINT must be the http address of a collector')
  }
  const protocol =
    text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? text('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/json'
  if (!protocol.startsWith('http/')) {
    throw new Error(
      `OTEL_EXPORTER_OTLP_PROTOCOL=${protocol} is not supported: name the collector's HTTP endpoint (port 4318) instead`,
    )
  }
  const headers =
    text('OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? text('OTEL_EXPORTER_OTLP_HEADERS') ?? ''
  return {
    url,
    headers: readHeaders(headers),
    ratio: readRatio(text('OTEL_TRACES_SAMPLER') ?? 'always_on', text('OTEL_TRACES_SAMPLER_ARG')),
    serviceName: text('OTEL_SERVICE_NAME') ?? null,
  }
}

/** `name=value,name=value`, values percent-encoded. */
function readHeaders(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) return []
      return [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]]
    }),
  )
}

function readRatio(sampler: string, argument: string | undefined): number {
  const kind = sampler.replace('parentbased_', '')
  if (kind === 'always_on') return 1
  if (kind === 'always_off') return 0
  const ratio = Number(argument ?? '1')
  if (kind === 'traceidratio' && ratio >= 0 && ratio <= 1) return ratio
  throw new Error(
    'OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, with OTEL_TRACES_SAMPLER_ARG from 0 to 1',
  )
}
