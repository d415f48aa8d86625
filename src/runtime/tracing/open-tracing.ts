import type { Environment } from '../environment.ts'
import type { Spans } from './spans.ts'
import { readTracingConfig } from './tracing-config.ts'

/** An unreachable collector does not delay the end of a process. */
const lastSpansMs = 2_000

/**
 * The destination of a process' spans, when the variables `OTEL_*` name a collector; else `null`,
 * and OpenTelemetry is not loaded. Throws a sentence for unsupported settings.
 */
export async function openTracing(
  environment: Environment,
  service: string,
): Promise<Spans | null> {
  const config = readTracingConfig(environment)
  if (config === null) return null
  const { sendSpans } = await import('./send-spans.ts')
  return sendSpans(config, service, lastSpansMs)
}
