import { Problem } from '#domain/problem.ts'
import type { SignInRefusal } from '#domain/sign-in-refusal.ts'
import type { Policy } from '#policy/policy.ts'
import type { OidcSettings } from '#policy/settings.ts'
import { lockActivationAlone, lockActivationShared } from '../../core/locks.ts'
import type { Tx } from '#store/database.ts'
import type { ServiceContext } from '../../core/context.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { refuseSignIn } from '../sign-in/refuse-sign-in.ts'
import { insertSignInLink } from '../sign-in/sign-in-link.ts'
import {
  startSession,
  type SignInSurroundings,
  type StartedSession,
} from '../sessions/start-session.ts'
import { ProviderFailure, type IdentityProvider } from './identity-provider.ts'
import { personOfIdentity, type KnownPerson } from './person-of-identity.ts'
import { readClaims, type ProvenIdentity } from './read-claims.ts'
import { syncGroupMembers } from './sync-group-members.ts'
import { takeFlow, type SignInFlow } from './sign-in-flow.ts'
import { byVisitor } from '../../core/authority.ts'

interface Answer extends SignInSurroundings {
  /** the version in force when the browser came back; if it changes, `conflict` */
  readonly policy: Policy
  readonly settings: OidcSettings
  readonly provider: IdentityProvider
  /** the address at which the browser came back, with the provider's query */
  readonly callbackUrl: URL
  /** the secret of the browser's cookie; null: it has none */
  readonly browser: string | null
  /** a browser came back, not a program */
  readonly isBrowser: boolean
}

/** A sign-in's result: a session for a program, a one-time token for a browser. */
export type ProviderOutcome = { readonly returnTo: string } & (
  | { readonly session: StartedSession; readonly handIn: null }
  | { readonly session: null; readonly handIn: string }
)

/**
 * Finishes a sign-in at the provider: takes the flow once, redeems its code, finds the person of
 * the account, and makes their teams those of their groups. A browser gets no session here, since
 * its cookie would reach every port of the host: it gets a token behind `#`, which its page posts
 * with the proof that it began with (security.md 39). Rejects with `unauthenticated` and a `why`;
 * refusals are audited.
 */
export async function signInWithProvider(
  ctx: ServiceContext,
  answer: Answer,
): Promise<ProviderOutcome> {
  const { channel } = answer
  const state = answer.callbackUrl.searchParams.get('state')
  const flow = await takeFlow(ctx, { state, browser: answer.browser })
  if (flow === null || (flow.proofHash === null && answer.isBrowser)) {
    return refuseSignIn(ctx, { method: 'oidc', why: 'not_valid', channel })
  }
  const redeemed = await answer.provider
    .redeem(flow.secrets, answer.callbackUrl)
    .catch((error: unknown) => {
      if (error instanceof ProviderFailure) return error
      throw error
    })
  if (redeemed instanceof ProviderFailure) {
    const { why, code } = redeemed
    return refuseSignIn(ctx, { method: 'oidc', why, channel, code })
  }
  const identity = readClaims(answer.settings, redeemed)
  const admitUnder = (lock: ActivationLock) =>
    inUnitOfWork(ctx, byVisitor('sign-in', channel), (unit) =>
      admit(unit, lock, identity, { ...answer, flow }),
    )
  const outcome = await admitUnder('shared').catch((error: unknown) => {
    if (error instanceof MembershipEnded) return admitUnder('alone')
    throw error
  })
  if (typeof outcome !== 'string') return outcome
  return refuseSignIn(ctx, { method: 'oidc', why: outcome, channel })
}

/**
 * How a sign-in locks activations. `shared`: the sign-in and people who act as members of a team do
 * not wait for each other. `alone`: they do, since the teams that such a person has read must not
 * end before the commit.
 */
type ActivationLock = 'shared' | 'alone'

/** Ends a transaction that ended a membership without the lock for it. */
class MembershipEnded extends Error {}

/** Rejects with `MembershipEnded` if that happens under the shared lock. */
async function admit(
  unit: UnitOfWork,
  lock: ActivationLock,
  identity: ProvenIdentity,
  answer: Answer & { readonly flow: SignInFlow },
): Promise<ProviderOutcome | SignInRefusal> {
  const { policy } = answer
  const { proofHash, returnTo } = answer.flow
  await lockVersion(unit.tx, lock, policy)
  const person = await personOfIdentity(unit, policy.config, identity)
  const subject = typeof person === 'string' ? await boundTo(unit.tx, identity) : person
  if (subject !== null) {
    const hasEnded = await followGroups(unit, policy, subject, identity)
    if (hasEnded && lock === 'shared') throw new MembershipEnded()
  }
  if (typeof person === 'string') return person
  if (proofHash !== null) {
    const link = await insertSignInLink(unit, { personId: person.id, mailed: false, proofHash })
    return { session: null, handIn: link.token, returnTo }
  }
  const session = await startSession(unit, { ...answer, person, method: 'oidc' })
  return { session, handIn: null, returnTo }
}

/**
 * Locks the version in force until the commit, so that the teams of this sign-in follow its
 * mapping. Rejects with `conflict` if the version is not `policy`.
 */
async function lockVersion(tx: Tx, lock: ActivationLock, policy: Policy): Promise<void> {
  await (lock === 'alone' ? lockActivationAlone(tx) : lockActivationShared(tx))
  const newest = await tx
    .selectFrom('policy_activation')
    .select('digest')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (newest === undefined || newest.digest === policy.digest) return
  throw new Problem(
    'conflict',
    'Another policy version was activated in the meantime. Sign in again',
  )
}

/** The person of the account of a refused sign-in: their groups may have been removed. */
async function boundTo(tx: Tx, identity: ProvenIdentity): Promise<KnownPerson | null> {
  const row = await tx
    .selectFrom('identity')
    .innerJoin('person', 'person.id', 'identity.person_id')
    .select(['person.id', 'person.name'])
    .where('issuer', '=', identity.issuer)
    .where('subject', '=', identity.subject)
    .executeTakeFirst()
  return row === undefined ? null : { ...row, news: null }
}

/**
 * Replaces the person's teams by group with those of the claims, and records the change. Returns
 * whether a membership ended.
 */
async function followGroups(
  unit: UnitOfWork,
  policy: Policy,
  person: KnownPerson,
  identity: ProvenIdentity,
): Promise<boolean> {
  const before = await teamsOf(unit.tx, person.id)
  const hasEnded = await syncGroupMembers(unit, policy.config, person.id)
  const teams = await teamsOf(unit.tx, person.id)
  const of = { personId: person.id, issuer: identity.issuer }
  if (person.news !== null) {
    const detail = { ...of, change: person.news }
    await unit.audit({ type: 'credential.changed', detail })
  }
  if (before.join('\n') !== teams.join('\n')) {
    const detail = { ...of, change: 'teams_by_group', before, teams }
    await unit.audit({ type: 'credential.changed', detail })
  }
  return hasEnded
}

async function teamsOf(tx: Tx, personId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('team_member')
    .select('team')
    .where('person_id', '=', personId)
    .orderBy('team')
    .execute()
  return rows.map((row) => row.team)
}
