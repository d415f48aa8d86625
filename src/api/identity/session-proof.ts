import type { Request } from 'express'
import { Problem } from '#domain/problem.ts'
import { hashToken } from '#services/access/token.ts'

/**
 * What a page sends with every call: a token that only our origin's own storage holds (security.md
 * 39).
 */
export const proofHeader = 'x-countersign-session'

/** The proof that came with a call, or null. Rejects one of another form with `invalid_request`. */
export function readProof(request: Request): string | null {
  const proof = request.get(proofHeader)
  if (proof === undefined || /^[\w-]{43}$/.test(proof)) return proof ?? null
  const message = 'must be 43 URL-safe characters'
  throw new Problem('invalid_request', `${proofHeader} ${message}`, { field: proofHeader, message })
}

/** What is kept of the proof that came with a call. */
export function readProofHash(request: Request): string | null {
  const proof = readProof(request)
  return proof === null ? null : hashToken(proof)
}

/**
 * Whether a browser sent it. Browsers set this header on every call, and no page can remove or
 * forge it.
 */
export function isBrowser(request: Request): boolean {
  return request.get('sec-fetch-dest') !== undefined
}

/** The same of a navigation, where browsers that do not set that header yet can be known too. */
export function isNavigation(request: Request): boolean {
  return isBrowser(request) || request.get('user-agent')?.startsWith('Mozilla/') === true
}

/**
 * Whether our service worker asks by itself, for a notification: nobody uses the session then, and
 * it ends idle all the same.
 */
export function isBackground(request: Request): boolean {
  return request.get('x-countersign-background') !== undefined
}
