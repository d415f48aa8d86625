import { destination, pino, stdSerializers } from 'pino'
import type { DestinationStream, Logger, LoggerOptions } from 'pino'
import { currentRequest } from '#services/core/current-request.ts'

/** Bytes that are kept while lines cannot be written; more are dropped. */
const maxUnwrittenBytes = 1024 * 1024

/**
 * The log of one process: one JSON object a line on standard output, with the process' name. Lines
 * have ids, never arguments (security.md 25). An error is written as its type, code and stack
 * frames only, since a message may quote a model or a person; `problem` texts are the service's
 * own. Lines during a request have its id. A full disk does not end the process: lines are written
 * when there is space again.
 */
export function createLog(name: string, level: string): Logger {
  const options: LoggerOptions = {
    name,
    level,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    mixin: () => {
      const current = currentRequest.getStore()
      return current === undefined ? {} : { requestId: current.requestId }
    },
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: withoutMessage, error: withoutMessage },
  }
  return pino(options, openOutput())
}

/** Neither a full disk nor a pipe without a reader may block the process. */
function openOutput(): DestinationStream {
  const output = destination({ dest: 1, sync: false, maxLength: maxUnwrittenBytes })
  let fails = false
  // Without a listener, a failed write would end the process.
  output.on('error', () => {
    fails = true
  })
  output.on('write', () => {
    fails = false
  })
  const flush = output.flushSync.bind(output)
  // Called when the process ends: the default tries again until there is space.
  output.flushSync = () => {
    if (!fails) flush()
  }
  return output
}

function withoutMessage(value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { type, stack } = stdSerializers.err(value)
  const code = (value as { code?: unknown }).code
  // A message may have lines that look like frames, so it is removed first.
  const frames = stack
    .replace(value.message, '')
    .split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
    .join('\n')
  return { type, ...(typeof code === 'string' ? { code } : {}), stack: frames }
}
