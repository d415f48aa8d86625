import { errorCode } from '#domain/error-code.ts'
import { withCapital } from '#domain/text/readable-name.ts'
import type { ErrorRequestHandler, Response } from 'express'
import { ZodError } from 'zod'
import { factsForCaller, Problem } from '#domain/problem.ts'
import type { Log } from '#services/core/context.ts'
import { outageProblem } from '#services/core/outage-problem.ts'
import { issueSentence } from '#tools/definition/issue-sentence.ts'
import type { ProblemBody } from '../schemas/common.ts'

/**
 * Turns whatever a route threw into RFC 9457 problem details. Any other error is logged and
 * answered as `internal`.
 */
export function answerProblem(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    // The caller closed the connection during the answer: nothing needs to be done.
    if (response.headersSent && response.destroyed) return
    const requestId = String(response.locals['requestId'])
    const problem = isImpossibleValue(error, request.method)
      ? new Problem('invalid_request', 'A value of the query is out of range')
      : asProblem(error)
    const { cause } = problem.facts
    if (typeof cause === 'string') response.locals['outage'] = cause
    if (['internal', 'unavailable', 'disk_full'].includes(problem.code)) {
      log.error({ requestId, err: error }, 'A request failed')
    }
    // Part of the answer was sent already: the connection is closed, so that nobody takes it as
    // complete.
    if (response.headersSent) return next(error)
    sendProblem(response, problem, requestId)
  }
}

function sendProblem(response: Response, problem: Problem, requestId: string): void {
  const { retryAfterSeconds } = problem.facts
  if (typeof retryAfterSeconds === 'number') response.set('retry-after', String(retryAfterSeconds))
  if (problem.status === 401) {
    response.set('www-authenticate', String(response.locals['challenge'] ?? 'Bearer'))
  }
  response.status(problem.status)
  response.set('cache-control', 'no-store')
  response.type('application/problem+json')
  response.send(JSON.stringify(problemBody(problem, requestId)))
}

/** The problem's members and its facts, which never replace a member. */
export function problemBody(problem: Problem, requestId: string): ProblemBody {
  return {
    ...factsForCaller(problem),
    type: `urn:countersign:problem:${problem.code}`,
    title: withCapital(problem.code.replaceAll('_', ' ')),
    status: problem.status,
    code: problem.code,
    detail: problem.message,
    requestId,
  }
}

/**
 * Converts any error to a problem. Messages of other sources are not passed on: they may quote what
 * a person wrote.
 */
function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof ZodError) return invalidRequest(error, 'body')
  if (error instanceof URIError) return new Problem('not_found', 'The path is not valid')
  const outage = outageProblem(error)
  if (outage !== null) return outage
  return new Problem('internal', 'The service failed; its log has the error under this requestId')
}

/** `field` is the first one that is wrong, `errors` all of them. `part` has them. */
export function invalidRequest(error: ZodError, part: 'body' | 'query'): Problem {
  const errors = error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        field: [...issue.path.map(String), ...(key === '' ? [] : [key])].join('.'),
        message: key === '' ? 'has a field without a name' : 'is not known',
      }))
    }
    return [{ field: issue.path.map(String).join('.'), message: issueSentence(issue) }]
  })
  const [first] = errors
  const field = first?.field ?? ''
  const detail =
    field === '' ? `The ${part}: ${first?.message ?? 'is wrong'}` : `${field}: ${first?.message}`
  return new Problem('invalid_request', detail.slice(0, 1000), { field, errors })
}

/** A list was queried with a value that Postgres cannot read, such as a forged cursor. */
function isImpossibleValue(error: unknown, method: string): boolean {
  return method === 'GET' && /^22[0-9A-Z]{3}$/.test(errorCode(error) ?? '')
}
