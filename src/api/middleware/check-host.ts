import type { RequestHandler } from 'express'
import { Problem } from '#domain/problem.ts'

/** If one is repeated, a proxy may read the last one and the service the first. */
const singleHeaders = ['host', 'authorization', 'origin', 'content-type'] as const

/** Refuses requests that repeat a header which must occur once. */
export const checkHeaders: RequestHandler = (request, _response, next) => {
  const twice = singleHeaders.find((name) => (request.headersDistinct[name]?.length ?? 0) > 1)
  if (twice === undefined) return next()
  const message = 'must be sent once'
  next(new Problem('invalid_request', `The header ${twice} ${message}`, { field: twice, message }))
}

/** Refuses a query that is not UTF-8: a reader would put other characters in its place. */
export const checkQuery: RequestHandler = ({ originalUrl }, _response, next) => {
  const begin = originalUrl.indexOf('?')
  if (begin === -1 || encodesUtf8(originalUrl.slice(begin))) return next()
  next(
    new Problem('invalid_request', 'The query is not UTF-8', {
      field: '',
      message: 'is not UTF-8',
    }),
  )
}

function encodesUtf8(query: string): boolean {
  try {
    // A percent sign that begins no escape is a character.
    decodeURIComponent(query.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))
    return true
  } catch {
    return false
  }
}

/**
 * Refuses requests for another host name: a page whose name was made to resolve to this machine
 * would otherwise be of the same origin (security.md 26).
 */
export function checkHost(publicUrl: string): RequestHandler {
  const ours = new URL(publicUrl).hostname
  return (request, _response, next) => {
    const host = hostName(request.headers.host)
    if (host !== null && (host === ours || isLoopbackName(host))) return next()
    next(
      new Problem(
        'host_not_allowed',
        'The Host header names neither this machine nor COUNTERSIGN_PUBLIC_URL',
      ),
    )
  }
}

/** The name in a Host header, in lower case and without its port; null when it is not one. */
function hostName(header: string | undefined): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::[0-9]{1,5})?$/i.exec(header ?? '')
  return match?.[1]?.toLowerCase() ?? null
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.[0-9]{1,3}){3}$/.test(host)
}
