import type { Environment } from '../environment.ts'
import type { Spans } from './spans.ts'
import { readTracingConfig } from './tracing-config.ts'

/** A collector that is away keeps no process from ending. */
const lastSpansMs = 2_000

/**
 * Where a process' spans go, when the variables `OTEL_*` name a collector; else `null`, and none of
 * OpenTelemetry is loaded. Throws a sentence for settings that cannot be followed.
 */
export async function openTracing(
  environment: Environment,
  service: string,
): Promise<Spans | null> {
  const config = readTracingConfig(environment)
  if (config === null) return null
  const { openSpans } = await import('./spans.ts')
  return openSpans(config, service, lastSpansMs)
}
