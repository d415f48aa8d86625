import type { Environment } from '../environment.ts'
import type { Spans } from './spans.ts'
import { readTracingConfig } from './tracing-config.ts'

/**
 * Where a process' spans go, when the variables `OTEL_*` name a collector; else `null`, and none of OpenTelemetry is loaded.
 * Throws a sentence for settings that cannot be followed.
 */
export async function openTracing(
  environment: Environment,
  service: string,
  lastMs: number,
): Promise<Spans | null> {
  const config = readTracingConfig(environment)
  if (config === null) return null
  const { openSpans } = await import('./spans.ts')
  return openSpans(config, service, lastMs)
}
