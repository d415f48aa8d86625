import { raw, type RequestHandler } from 'express'
import { limits } from '../../domain/limits.ts'
import { Problem } from '../../domain/problem.ts'
import { JsonProblem, parseStrictJson } from '../strict-json.ts'

/** Whoever is not known sends no more than it takes to sign in. */
const strangersBodyBytes = 16 * 1024

/** A form that Slack signs: judged by its bytes, whoever sent it. */
const signedBodyBytes = 256 * 1024

const options = { type: () => true, inflate: false }
const readOfCaller = raw({ ...options, limit: limits.httpBodyBytes })
const readSigned = raw({ ...options, limit: signedBodyBytes })
const readOfStranger = raw({ ...options, limit: strangersBodyBytes })

/** Reads a body of at most 256 KiB as its bytes, for `isSignedBySlack`. Rejects with `too_large`. */
export const readSignedBody: RequestHandler = (request, response, next) => {
  readSigned(request, response, (error?: unknown) => {
    next(error === undefined ? undefined : asProblem(error, signedBodyBytes))
  })
}

/**
 * Reads a body of at most 12 MiB (16 KiB without a session or key) as strict JSON into `request.body`; no body is
 * `undefined`. Rejects with
 * `unsupported_media_type` for anything but JSON, `too_large`, or `invalid_request`.
 */
export const readBody: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' || request.method === 'HEAD') return next()
  // Read already: `readSignedBody`.
  if (request.body instanceof Buffer) return next()
  const isKnown = response.locals['identity'] !== undefined
  const readBytes = isKnown ? readOfCaller : readOfStranger
  const most = isKnown ? limits.httpBodyBytes : strangersBodyBytes
  readBytes(request, response, (error?: unknown) => {
    if (error !== undefined) return next(asProblem(error, most))
    const bytes: unknown = request.body
    if (!(bytes instanceof Buffer) || bytes.length === 0) {
      request.body = undefined
      return next()
    }
    if (request.is('application/json') === false) {
      return next(new Problem('unsupported_media_type', 'Send content-type: application/json'))
    }
    try {
      request.body = parseStrictJson(bytes)
    } catch (problem) {
      if (!(problem instanceof JsonProblem)) return next(problem)
      return next(
        new Problem('invalid_request', problem.message, {
          errors: [{ field: '', message: problem.message }],
        }),
      )
    }
    next()
  })
}

function asProblem(error: unknown, most: number): unknown {
  const type = error instanceof Error && 'type' in error ? error.type : null
  if (type === 'entity.too.large') {
    return new Problem('too_large', `The body is over ${most} bytes`)
  }
  if (type === 'encoding.unsupported') {
    return new Problem('unsupported_media_type', 'Send the body without content-encoding')
  }
  if (type === 'request.aborted' || type === 'request.size.invalid') {
    return new Problem('invalid_request', 'The body is shorter than its content-length')
  }
  return error
}
