import type { Channel } from '#domain/actor.ts'
import { Problem } from '#domain/problem.ts'
import { signInRefusals, type SignInRefusal } from '#domain/sign-in-refusal.ts'
import type { ServiceContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { byVisitor } from '../../core/authority.ts'
import type { KeyRefusal } from '../api-keys/why-key-is-refused.ts'

type Attempt = { readonly channel: Channel } & (
  | {
      readonly method: 'development' | 'link' | 'passkey' | 'host' | 'browser'
      readonly why: string
    }
  | ({ readonly method: 'key' } & KeyRefusal)
  /** `code`: the code of the protocol, for the trail */
  | { readonly method: 'oidc' | 'token'; readonly why: SignInRefusal; readonly code?: string }
)

/**
 * Audits a sign-in that failed, in its own transaction, and rejects with `unauthenticated` or
 * `session_unproven`. It says which part was wrong only for a sign-in at a provider, which has
 * already identified the caller.
 */
export async function refuseSignIn(ctx: ServiceContext, attempt: Attempt): Promise<never> {
  const { channel, ...detail } = attempt
  await inUnitOfWork(ctx, byVisitor('sign-in', channel), (unit) =>
    unit.audit({ type: 'session.refused', detail }),
  )
  if (detail.method === 'oidc' || detail.method === 'token') {
    throw new Problem('unauthenticated', signInRefusals[detail.why], { why: detail.why })
  }
  const code = detail.method === 'browser' ? 'session_unproven' : 'unauthenticated'
  throw new Problem(code, signInSentences[detail.method])
}

const signInSentences = {
  development:
    'This address or token is not right: the token is in run/dev-token of the data folder',
  link: 'This link is no longer valid: each link works once and for a short time. Ask for a new one',
  passkey:
    'This passkey did not sign you in: it is not registered here, or its response came too late. Try again, or sign in another way',
  host: 'This token is not right: it is in run/host-token of the data folder',
  browser:
    'A browser must sign in on the page of this service, which stores the key of its session: open /sign-in',
  key: 'This API key is not valid: it is unknown, revoked or expired, or its owner is disabled or no longer a person of the project',
} as const
