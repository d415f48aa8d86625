import { createHmac } from 'node:crypto'
import { newToken } from '../token.ts'
import type { FlowSecrets } from './identity-provider.ts'

/** What a sign-in that begins is made of: `browser` goes into a cookie, the rest follows from it. */
export function newFlow(): { readonly browser: string; readonly secrets: FlowSecrets } {
  const browser = newToken()
  return { browser, secrets: flowSecrets(browser, newToken()) }
}

/**
 * Nonce and PKCE verifier of a sign-in, from what only the browser has: the database keeps nothing with which
 * somebody who reads it could finish one.
 */
export function flowSecrets(browser: string, state: string): FlowSecrets {
  const derive = (what: string): string =>
    createHmac('sha256', browser).update(`countersign ${what} ${state}`).digest('base64url')
  return { state, nonce: derive('nonce'), codeVerifier: derive('code verifier') }
}
