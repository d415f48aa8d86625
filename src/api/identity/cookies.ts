import type { Request, Response } from 'express'
import { flowLastsMs } from '#services/access/oidc/begin-provider-sign-in.ts'

const common = { httpOnly: true, secure: true, path: '/' } as const

/**
 * `__Host-`: this host only, whole path, secure; browsers take it on http://localhost too
 * (security.md 21).
 */
const sessionCookie = '__Host-countersign'
const sessionAttributes = { ...common, sameSite: 'strict' } as const

/** The token in the session cookie; null without one, or when two were sent. */
export function readSessionCookie(request: Request): string | null {
  return readCookie(request, sessionCookie)
}

/** A token of ours in the cookie of a name; null without one, or when two were sent. */
function readCookie(request: Request, name: string): string | null {
  const values = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  const [value] = values
  return values.length === 1 && value !== undefined && /^[\w-]{43}$/.test(value) ? value : null
}

export function setSessionCookie(response: Response, token: string, expiresAt: Date): void {
  response.cookie(sessionCookie, token, { ...sessionAttributes, expires: expiresAt })
}

export function clearSessionCookie(response: Response): void {
  response.clearCookie(sessionCookie, sessionAttributes)
}

/**
 * The cookie of a browser during a sign-in at the provider. `lax`: it comes back from another site,
 * by GET.
 */
const flowCookie = '__Host-countersign-oidc'
const flowAttributes = { ...common, sameSite: 'lax' } as const

export function readFlowCookie(request: Request): string | null {
  return readCookie(request, flowCookie)
}

export function setFlowCookie(response: Response, browser: string): void {
  response.cookie(flowCookie, browser, { ...flowAttributes, maxAge: flowLastsMs })
}

export function clearFlowCookie(response: Response): void {
  response.clearCookie(flowCookie, flowAttributes)
}
