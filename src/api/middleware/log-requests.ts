import type { RequestHandler } from 'express'
import type { Log } from '../../services/context.ts'

/** One line an answer under `/v1`: ids, the route's pattern and the time; never a path, query or body (security.md 25). */
export function logRequests(log: Log): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now()
    response.on('close', () => {
      if (!request.originalUrl.startsWith('/v1')) return
      const route: unknown = (request.route as { path?: unknown } | undefined)?.path
      log.info(
        {
          requestId: String(response.locals['requestId']),
          method: request.method,
          route: typeof route === 'string' ? route : null,
          status: response.statusCode,
          finished: response.writableFinished,
          durationMs: Math.round(performance.now() - startedAt),
        },
        'request',
      )
    })
    next()
  }
}
