import type { Request, Response } from 'express'

/** `__Host-`: this host only, whole path, secure; browsers take it on http://localhost too (security.md 21). */
const cookieName = '__Host-countersign'

/** The token in the session cookie; null without one, or when two were sent. */
export function readSessionCookie(request: Request): string | null {
  return readCookie(request, cookieName)
}

/** A token of ours in the cookie of a name; null without one, or when two were sent. */
export function readCookie(request: Request, name: string): string | null {
  const values = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  const [value] = values
  return values.length === 1 && value !== undefined && /^[\w-]{43}$/.test(value) ? value : null
}

export function setSessionCookie(response: Response, token: string, expiresAt: Date): void {
  response.cookie(cookieName, token, { ...attributes, expires: expiresAt })
}

export function clearSessionCookie(response: Response): void {
  response.clearCookie(cookieName, attributes)
}

const attributes = { httpOnly: true, secure: true, sameSite: 'strict', path: '/' } as const
