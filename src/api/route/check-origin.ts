import type { Request } from 'express'
import { Problem } from '#domain/problem.ts'
import { sameSecret } from '#services/access/token.ts'

/**
 * What a state-changing call with a cookie needs (api.md, Who is calling): a JSON body's content
 * type, proof that a page of this service sent it, and the session's token. Throws `csrf_failed`,
 * or `unsupported_media_type`.
 */
export function checkForgery(request: Request, publicUrl: string, csrfToken: string): void {
  checkJsonType(request)
  const { origin } = request.headers
  const site = request.get('sec-fetch-site')
  if (origin === undefined && site === undefined) {
    throw new Problem('csrf_failed', 'A call with a cookie needs a same-origin Origin header')
  }
  checkOrigin(request, publicUrl)
  const token = request.get('x-csrf-token')
  if (token === undefined || !sameSecret(token, csrfToken)) {
    throw new Problem(
      'csrf_failed',
      'A call with a cookie needs the header x-csrf-token; GET /v1/me returns its value',
    )
  }
}

/**
 * Checks a call of a program: a page of another site, which a browser names in `Origin`, must not
 * send it. Throws `csrf_failed`.
 */
export function refuseForeignOrigin({ headers }: Request, publicUrl: string): void {
  const { host, origin } = headers
  if (origin !== undefined && !isOurs(origin, host, publicUrl)) throw foreignPage()
}

/**
 * Checks a call that starts a session: an origin that `Origin` or `Sec-Fetch-Site` names must be
 * this service. Throws `csrf_failed`.
 */
export function checkOrigin(request: Request, publicUrl: string): void {
  const site = request.get('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin') throw foreignPage()
  refuseForeignOrigin(request, publicUrl)
}

function foreignPage(): Problem {
  return new Problem('csrf_failed', 'This call did not come from a page of this service')
}

/** A form cannot send JSON. A call that removes something has no body, and no form can send it. */
export function checkJsonType(request: Request): void {
  if (request.method === 'DELETE' && request.body === undefined) return
  if (request.get('content-type')?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw new Problem('unsupported_media_type', 'Send content-type: application/json')
  }
}

function isOurs(origin: string, host: string | undefined, publicUrl: string): boolean {
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  return url.origin === new URL(publicUrl).origin || url.host === host?.toLowerCase()
}
