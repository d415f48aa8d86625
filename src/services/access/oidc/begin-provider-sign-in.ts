import { removeExpired } from '#store/remove-expired.ts'
import type { ServiceContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { hashToken } from '../token.ts'
import { newFlow } from './sign-in-flow.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { byVisitor } from '../../core/authority.ts'

/** How long somebody may take to sign in at the provider. */
export const flowLastsMs = 10 * 60_000

/**
 * Begins a sign-in at the provider: returns the address for the browser and a secret for its
 * cookie. The database stores only hashes, for ten minutes. Rejects with `ProviderFailure` when the
 * provider cannot be reached.
 */
export async function beginProviderSignIn(
  ctx: ServiceContext,
  input: {
    readonly provider: IdentityProvider
    readonly redirectUri: string
    /** a path of this service */
    readonly returnTo: string
    /** hash of the proof that the browser will send; null: a program begins */
    readonly proofHash: string | null
  },
): Promise<{ readonly url: URL; readonly browser: string }> {
  const { browser, secrets } = newFlow()
  const url = await input.provider.authorizationUrl(secrets, input.redirectUri)
  await inUnitOfWork(ctx, byVisitor('sign-in', 'dashboard'), async ({ tx, seals }) => {
    const row = {
      state_hash: hashToken(secrets.state),
      browser_hash: hashToken(browser),
      return_to: input.returnTo,
      proof_hash: input.proofHash,
      expires_at: await removeExpired(tx, 'sign_in_flow', flowLastsMs),
    }
    await tx
      .insertInto('sign_in_flow')
      .values({ ...row, seal: seals.of('sign_in_flow', row) })
      .execute()
  })
  return { url, browser }
}
