import type { Channel } from '../../domain/actor.ts'
import { Problem } from '../../domain/problem.ts'
import { signInRefusals, type SignInRefusal } from '../../domain/sign-in-refusal.ts'
import type { ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'

type Attempt = { readonly channel: Channel } & (
  | {
      readonly method: 'development' | 'link' | 'passkey' | 'key' | 'host'
      readonly why: string
    }
  /** `code`: the protocol's own, for the trail */
  | { readonly method: 'oidc'; readonly why: SignInRefusal; readonly code?: string }
)

/**
 * Audits a sign-in that failed, in a transaction of its own, and rejects with `unauthenticated`. Never says which part
 * was wrong, but of a sign-in at a provider, after which it is known who asks.
 */
export async function refuseSignIn(ctx: ServiceContext, attempt: Attempt): Promise<never> {
  const { channel, ...detail } = attempt
  await inUnitOfWork(ctx, (unit) =>
    unit.audit({
      type: 'session.refused',
      actor: { type: 'system', name: 'sign-in' },
      channel,
      detail,
    }),
  )
  if (detail.method === 'oidc') {
    throw new Problem('unauthenticated', signInRefusals[detail.why], { why: detail.why })
  }
  throw new Problem('unauthenticated', signInSentences[detail.method])
}

const signInSentences = {
  development:
    'This address or token is not right: the token is in run/dev-token of the data folder',
  link: 'This link is not valid any more: each works once and for a short time. Ask for a new one',
  passkey:
    'This passkey did not sign you in: it is not registered here, or its answer came too late. Try again, or sign in another way',
  host: 'This token is not right: it is in run/host-token of the data folder',
  key: 'This API key is not valid: it is unknown, revoked or expired, or its owner is disabled',
} as const
