import compression from 'compression'
import type { Request, RequestHandler, Response } from 'express'

/** Compression of smaller answers gains too little. */
const leastBytes = 1024

/**
 * Answers with a secret (session token, key, link) are not compressed. Compressed together with
 * text that an attacker chose, their length would reveal the secret letter by letter.
 */
const secretPaths = /^\/v1\/(?:me|auth|keys|sessions|credentials|slack|people)(?:\/|$)/

/** Compresses only JSON of reads: no stream, no answer of a verb, no bytes, no secret. */
export function compressAnswers(): RequestHandler {
  return compression({
    threshold: leastBytes,
    filter: (request: Request, response: Response) =>
      request.method === 'GET' &&
      !secretPaths.test(request.path) &&
      /^application\/(?:[\w.-]+\+)?json\b/.test(String(response.get('content-type'))),
  })
}
