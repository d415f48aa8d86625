import { raw, type Request, type RequestHandler, type Response } from 'express'
import type { Json } from '#domain/json/json.ts'
import { limits } from '#domain/limits.ts'
import { Problem } from '#domain/problem.ts'
import { Shares } from '#domain/sharing/shares.ts'
import { currentRequest } from '#services/core/current-request.ts'
import { inlineBytes, parseBody } from '../body/parse-body.ts'
import { JsonProblem } from '../body/strict-json.ts'

/** Callers without a session or key send no more than a sign-in needs. */
const strangersBodyBytes = 16 * 1024

/** A form that Slack signs: verified by its bytes, from anybody. */
const signedBodyBytes = 256 * 1024

/**
 * Calls with bodies over 256 KiB, or of unknown length, that are in memory at once: a caller who
 * sends slowly on a thousand connections would otherwise take 12 GiB of it (security.md 37).
 */
const largeBodies = new Shares({ slots: 16, maxPerCaller: 4, maxWaiting: 100, waitMs: 10_000 })

const options = { type: () => true, inflate: false }
const readOfCaller = raw({ ...options, limit: limits.httpBodyBytes })
const readSigned = raw({ ...options, limit: signedBodyBytes })
const readOfStranger = raw({ ...options, limit: strangersBodyBytes })

/** Reads up to 256 KiB as bytes, for `isSignedBySlack`. Rejects with `too_large`. */
export const readSignedBody: RequestHandler = (request, response, next) => {
  readSigned(request, response, (error?: unknown) => {
    next(error === undefined ? undefined : asProblem(error, signedBodyBytes))
  })
}

/**
 * Reads a body of at most 12 MiB (16 KiB without a session or key) as strict JSON into
 * `request.body`; no body is `undefined`. Rejects with `unsupported_media_type` for anything but
 * JSON, `too_large`, or `invalid_request`; with `BusyError` if too many large ones are being read.
 */
export const readBody: RequestHandler = async (request, response, next) => {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  // Read already: `readSignedBody`.
  if (!isRead && !(request.body instanceof Buffer)) {
    const current = currentRequest.getStore()
    const caller = current?.caller ?? ''
    if (isLarge(request, response)) {
      const free = await largeBodies.take(caller)
      if (current !== undefined) current.freeBody = free
      response.on('close', free)
      // The connection may have closed in between.
      if (response.destroyed) free()
    }
    const bytes = await bytesOf(request, response)
    // A body whose length was not known can be small.
    if (current !== undefined && (bytes === null || bytes.length <= inlineBytes)) {
      current.freeBody?.()
      current.freeBody = null
    }
    request.body = await jsonOf(request, bytes, caller)
  }
  next()
}

/** Bodies of strangers are small. */
function isLarge({ headers }: Request, { locals }: Response): boolean {
  if (locals['identity'] === undefined) return false
  const isChunked = headers['transfer-encoding'] !== undefined
  return isChunked || Number(headers['content-length'] ?? 0) > inlineBytes
}

async function bytesOf(request: Request, response: Response): Promise<Buffer | null> {
  const isKnown = response.locals['identity'] !== undefined
  const [readBytes, maxBytes] = isKnown
    ? [readOfCaller, limits.httpBodyBytes]
    : [readOfStranger, strangersBodyBytes]
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  readBytes(request, response, (error?: unknown) =>
    error === undefined ? resolve() : reject(asProblem(error, maxBytes)),
  )
  await promise
  const bytes: unknown = request.body
  return bytes instanceof Buffer && bytes.length > 0 ? bytes : null
}

/** `undefined` without a body. */
async function jsonOf(
  request: Request,
  bytes: Buffer | null,
  caller: string,
): Promise<Json | undefined> {
  if (bytes === null) return undefined
  if (request.is('application/json') === false || !announcesUtf8(request.headers['content-type'])) {
    throw new Problem('unsupported_media_type', 'Send content-type: application/json, in UTF-8')
  }
  try {
    return await parseBody(bytes, caller)
  } catch (problem) {
    if (!(problem instanceof JsonProblem)) throw problem
    const { message } = problem
    throw new Problem('invalid_request', message)
  }
}

/** JSON is UTF-8 (RFC 8259): another `charset` announces bytes that would be read wrongly. */
function announcesUtf8(contentType: string | undefined): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType ?? '')?.[1]
  return charset === undefined || charset.toLowerCase() === 'utf-8'
}

function asProblem(error: unknown, maxBytes: number): unknown {
  const type = error instanceof Error && 'type' in error ? error.type : null
  if (type === 'entity.too.large') {
    return new Problem('too_large', `The body is over ${maxBytes} bytes`)
  }
  if (type === 'encoding.unsupported') {
    return new Problem('unsupported_media_type', 'Send the body without content-encoding')
  }
  if (type === 'request.aborted' || type === 'request.size.invalid') {
    return new Problem('invalid_request', 'The body is shorter than its content-length')
  }
  return error
}
