import { sql } from 'kysely'
import type { ServiceContext } from '../../core/context.ts'
import { hashToken, newToken } from '../token.ts'
import type { FlowSecrets } from './identity-provider.ts'
import { createHmac } from 'node:crypto'

/** A sign-in that was begun and can be finished. */
export interface SignInFlow {
  readonly secrets: FlowSecrets
  readonly returnTo: string
  /** hash of the proof of the browser that began; null: a program began */
  readonly proofHash: string | null
}

/**
 * Takes a sign-in that was begun, once: of two callers with the same state, one gets it. `null`
 * when it is unknown, over, used, changed by SQL, or was begun in another browser, which does not
 * use it up.
 */
export async function takeFlow(
  ctx: ServiceContext,
  input: { readonly state: string | null; readonly browser: string | null },
): Promise<SignInFlow | null> {
  const { state, browser } = input
  if (state === null || browser === null) return null
  const flow = await ctx.db
    .deleteFrom('sign_in_flow')
    .where('state_hash', '=', hashToken(state))
    .where('browser_hash', '=', hashToken(browser))
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .returningAll()
    .executeTakeFirst()
  if (flow === undefined || !ctx.seals.holds('sign_in_flow', flow)) return null
  const secrets = flowSecrets(browser, state)
  return { secrets, returnTo: flow.return_to, proofHash: flow.proof_hash }
}

/** The secrets of a new sign-in: `browser` goes into a cookie, the others derive from it. */
export function newFlow(): { readonly browser: string; readonly secrets: FlowSecrets } {
  const browser = newToken()
  return { browser, secrets: flowSecrets(browser, newToken()) }
}

/**
 * Nonce and PKCE verifier of a sign-in, derived from a secret that only the browser has: nobody can
 * finish a sign-in with what the database stores.
 */
function flowSecrets(browser: string, state: string): FlowSecrets {
  const derive = (what: string): string =>
    createHmac('sha256', browser).update(`countersign ${what} ${state}`).digest('base64url')
  return { state, nonce: derive('nonce'), codeVerifier: derive('code verifier') }
}
