import { sql } from 'kysely'
import type { ServiceContext } from '../../context.ts'
import { hashToken } from '../token.ts'
import { flowSecrets } from './flow-secrets.ts'
import type { FlowSecrets } from './identity-provider.ts'

/**
 * Takes a sign-in that was begun, once: of two that come back with the same state, one. `null` when it is unknown, over,
 * used, or was begun in another browser, which does not use it up.
 */
export async function takeFlow(
  ctx: ServiceContext,
  given: { readonly state: string | null; readonly browser: string | null },
): Promise<{ readonly secrets: FlowSecrets; readonly returnTo: string } | null> {
  const { state, browser } = given
  if (state === null || browser === null) return null
  const flow = await ctx.db
    .deleteFrom('sign_in_flow')
    .where('state_hash', '=', hashToken(state))
    .where('browser_hash', '=', hashToken(browser))
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .returning('return_to')
    .executeTakeFirst()
  return flow === undefined
    ? null
    : { secrets: flowSecrets(browser, state), returnTo: flow.return_to }
}
