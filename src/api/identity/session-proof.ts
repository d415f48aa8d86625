import type { Request } from 'express'
import { Problem } from '#domain/problem.ts'
import { hashToken } from '#services/access/token.ts'

/** The header with a page's token, which only its origin's storage has (security.md 39). */
const proofHeader = 'x-countersign-session'

/** The proof of a call, or null. Rejects an invalid one with `invalid_request`. */
export function readProof(request: Request): string | null {
  const proof = request.get(proofHeader)
  if (proof === undefined || /^[\w-]{43}$/.test(proof)) return proof ?? null
  const message = 'must be 43 URL-safe characters'
  throw new Problem('invalid_request', `${proofHeader} ${message}`, { field: proofHeader, message })
}

/** The stored hash of a call's proof. */
export function readProofHash(request: Request): string | null {
  const proof = readProof(request)
  return proof === null ? null : hashToken(proof)
}

/** Whether a browser sent it: no page can remove or forge this header. */
export function isBrowser(request: Request): boolean {
  return request.get('sec-fetch-dest') !== undefined
}

/** The same for a navigation, which also identifies browsers that do not set that header yet. */
export function isNavigation(request: Request): boolean {
  return isBrowser(request) || request.get('user-agent')?.startsWith('Mozilla/') === true
}

/**
 * Whether the service worker calls by itself, for a notification: this does not count as use of the
 * session.
 */
export function isBackground(request: Request): boolean {
  return request.get('x-countersign-background') !== undefined
}
