import type { Request, Response } from 'express'
import { flowLastsMs } from '../services/access/oidc/begin-provider-sign-in.ts'
import { readCookie } from './session-cookie.ts'

/** What a browser keeps while it is at the sign-in provider. `lax`: it comes back from another site, by GET. */
const cookieName = '__Host-countersign-oidc'
const attributes = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const

export function readFlowCookie(request: Request): string | null {
  return readCookie(request, cookieName)
}

export function setFlowCookie(response: Response, browser: string): void {
  response.cookie(cookieName, browser, { ...attributes, maxAge: flowLastsMs })
}

export function clearFlowCookie(response: Response): void {
  response.clearCookie(cookieName, attributes)
}
