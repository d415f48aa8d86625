import type { RequestHandler } from 'express'
import type { Log } from '../../services/context.ts'

/** What is known of an answer once it is over: the route's pattern, never a path, query or body. */
export interface AnsweredRequest {
  readonly method: string
  /** Express path; null when no route answered */
  readonly route: string | null
  readonly status: number
  readonly durationMs: number
}

/** One line an answer under `/v1`: ids, the route's pattern and the time (security.md 25). Every answer is counted. */
export function logRequests(
  log: Log,
  answered: ((answer: AnsweredRequest) => void) | undefined,
): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now()
    response.on('close', () => {
      const path: unknown = (request.route as { path?: unknown } | undefined)?.path
      const answer = {
        method: request.method,
        route: typeof path === 'string' ? path : null,
        status: response.statusCode,
        durationMs: performance.now() - startedAt,
      }
      answered?.(answer)
      if (!request.originalUrl.startsWith('/v1')) return
      log.info(
        {
          requestId: String(response.locals['requestId']),
          ...answer,
          finished: response.writableFinished,
          durationMs: Math.round(answer.durationMs),
        },
        'request',
      )
    })
    next()
  }
}
