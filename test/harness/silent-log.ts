import type { Log } from '#services/core/context.ts'

/** A log that keeps nothing. */
export const silentLog: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
