import { pino, stdSerializers } from 'pino'
import type { Logger } from 'pino'
import { currentRequest } from '../services/current-request.ts'

/**
 * The log of one process: one JSON object a line on standard output, with the process' name.
 *
 * Lines carry ids, never arguments (security.md 25). An error is written as its type, code and stack
 * frames only, since a message may quote what a model or a person wrote; `problem` texts are ours. What is said while a
 * request is answered has its id.
 */
export function createLog(name: string, level: string): Logger {
  return pino({
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
  })
}

function withoutMessage(value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { type, stack } = stdSerializers.err(value)
  const code = (value as { code?: unknown }).code
  // A message may have lines that look like frames: it goes first.
  const frames = stack
    .replace(value.message, '')
    .split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
    .join('\n')
  return { type, ...(typeof code === 'string' ? { code } : {}), stack: frames }
}
