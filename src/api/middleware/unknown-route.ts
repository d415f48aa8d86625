import type { RequestHandler } from 'express'
import { Problem } from '#domain/problem.ts'

/** Refuses a method that a known path does not have. */
export function refuseMethod(allowed: readonly string[]): RequestHandler {
  return (request, response, next) => {
    response.set('allow', allowed.join(', '))
    next(
      new Problem('method_not_allowed', `${request.method} is not allowed here`, {
        allowed: [...allowed],
      }),
    )
  }
}

/** Refuses a path that has no operation. */
export const refusePath: RequestHandler = ({ originalUrl }, _response, next) => {
  const detail = /.\/(?:\?|$)/.test(originalUrl)
    ? 'This path does not exist: no path ends with a slash'
    : 'This path does not exist'
  next(new Problem('not_found', detail))
}
