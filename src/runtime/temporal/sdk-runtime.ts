import { DefaultLogger, Runtime } from '@temporalio/worker'
import type { LogEntry, LogLevel } from '@temporalio/worker'
import type { Log } from '#services/core/context.ts'
import type { Config } from '../config/config.ts'

const levels: Record<Config['logLevel'], LogLevel> = {
  debug: 'DEBUG',
  info: 'WARN',
  warn: 'WARN',
  error: 'ERROR',
  silent: 'ERROR',
}

/** Fields of an SDK log line: ids and names, never an activity's input or errors. */
const loggedFields = [
  'sdkComponent',
  'taskQueue',
  'workflowId',
  'workflowType',
  'activityId',
  'activityType',
  'attempt',
  'durationMs',
]

/**
 * Configures the SDK of this process: it writes to the service's log, and its own signal handlers
 * are off, since this process stops its parts in order. It serves its metrics at the address of
 * `metrics`; null: it has none.
 */
export function installRuntime(
  logLevel: Config['logLevel'],
  log: Log,
  metrics: { readonly bindAddress: string } | null,
): void {
  const write = ({ level, message, meta }: LogEntry): void => {
    const fields = Object.fromEntries(
      loggedFields.flatMap((name) => (meta?.[name] === undefined ? [] : [[name, meta[name]]])),
    )
    const error: unknown = meta?.['error']
    const line = error instanceof Error ? { ...fields, err: error } : fields
    if (level === 'ERROR') log.error(line, message)
    else if (level === 'WARN') log.warn(line, message)
    else log.info(line, message)
  }
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger(levels[logLevel], write),
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metrics === null ? {} : { metrics: { prometheus: prometheus(metrics.bindAddress) } }),
    },
  })
}

/** Follows the conventions of Prometheus, like the metrics of the service itself. */
function prometheus(bindAddress: string) {
  return { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true }
}
