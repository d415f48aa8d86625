import type { Request, Response } from 'express'
import { flowLastsMs } from '#services/access/oidc/begin-provider-sign-in.ts'

const common = { httpOnly: true, secure: true, path: '/' } as const

/** `__Host-`: this host, whole path, secure; also on http://localhost (security.md 21). */
const sessionCookie = '__Host-countersign'
const sessionAttributes = { ...common, sameSite: 'strict' } as const

/** The token in the session cookie; null without one, or when two were sent. */
export function readSessionCookie(request: Request): string | null {
  return readCookie(request, sessionCookie)
}

/** The token in a cookie; null without one, or when two were sent. */
function readCookie(request: Request, name: string): string | null {
  const values = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  const [value] = values
  return values.length === 1 && value !== undefined && /^[\w-]{43}$/.test(value) ? value : null
}

/** Stores the token of a session in the browser. */
export function setSessionCookie(response: Response, token: string, expiresAt: Date): void {
  response.cookie(sessionCookie, token, { ...sessionAttributes, expires: expiresAt })
}

/** Removes the session cookie. */
export function clearSessionCookie(response: Response): void {
  response.clearCookie(sessionCookie, sessionAttributes)
}

/**
 * The cookie of a browser during a sign-in at the provider. `lax`: the browser sends it with the
 * GET by which the provider returns the person.
 */
const flowCookie = '__Host-countersign-oidc'
const flowAttributes = { ...common, sameSite: 'lax' } as const

/** The token of a sign-in at the provider, from its cookie; null: none, or two. */
export function readFlowCookie(request: Request): string | null {
  return readCookie(request, flowCookie)
}

/** Stores the token of a sign-in at the provider in the browser. */
export function setFlowCookie(response: Response, browser: string): void {
  response.cookie(flowCookie, browser, { ...flowAttributes, maxAge: flowLastsMs })
}

/** Removes the cookie of a sign-in at the provider. */
export function clearFlowCookie(response: Response): void {
  response.clearCookie(flowCookie, flowAttributes)
}
