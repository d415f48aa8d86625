import type { RequestHandler } from 'express'
import type { Log } from '#services/core/context.ts'
import type { CurrentRequest } from '#services/core/current-request.ts'
import type { McpMessage } from '../context/mcp-message.ts'
import type { AnsweredRequest } from '../context/api.ts'

/**
 * Logs one line for each answer under `/v1`: ids, the route's pattern, the time (security.md 25);
 * counts every answer.
 */
export function logRequests(
  log: Log,
  answered: ((answer: AnsweredRequest) => void) | undefined,
): RequestHandler {
  return (request, response, next) => {
    // Not `originalUrl`: a request line can name the whole address.
    const { path: pathname } = request
    const startedAt = Date.now()
    const startMs = performance.now()
    response.on('close', () => {
      const path: unknown = (request.route as { path?: unknown } | undefined)?.path
      const route = typeof path === 'string' ? path : null
      const { method } = request
      const { statusCode: status } = response
      const durationMs = performance.now() - startMs
      const current = (response.locals['current'] as CurrentRequest | undefined) ?? null
      const outage = (response.locals['outage'] as string | undefined) ?? null
      const mcp = (response.locals['mcpMessage'] as McpMessage | undefined) ?? null
      answered?.({ method, route, status, startedAt, durationMs, current, outage, mcp })
      if (!pathname.startsWith('/v1')) return
      log.info(
        {
          requestId: String(response.locals['requestId']),
          method,
          route,
          status,
          finished: response.writableFinished,
          durationMs: Math.round(durationMs),
        },
        'request',
      )
    })
    next()
  }
}
