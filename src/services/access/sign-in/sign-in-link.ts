import { sql } from 'kysely'
import { newId } from '#domain/new-id.ts'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { isFirstUse } from '../../core/ledger.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { findActivePerson, readEnabledPerson } from '../find-active-person.ts'
import { isAdmittedNow } from '../is-admitted.ts'
import { refuseSignIn } from './refuse-sign-in.ts'
import {
  findPersonHere,
  startSession,
  type SignInSurroundings,
  type StartedSession,
} from '../sessions/start-session.ts'
import { sealInserted } from '../sealed-rows.ts'
import { hashToken, newToken } from '../token.ts'
import { byVisitor, byOwner } from '../../core/authority.ts'
import { markRecorded, recordRefusal } from '../../refusals/record-refusal.ts'

/** How long a link can be used. */
const linkLastsMs = 15 * 60_000

export interface NewSignInLink {
  readonly email: string
  /** the person's session, which must not have ended by then; absent: somebody on the host */
  readonly sessionId?: string
}

/**
 * Makes a link that signs a person in, once, within 15 minutes. The caller was authorised: the
 * person, or somebody on the host. Rejects with `not_found` and `unauthenticated`. Audits
 * `credential.changed`.
 */
export async function createSignInLink(
  ctx: ServiceContext,
  caller: Caller,
  input: NewSignInLink,
): Promise<{ token: string; personId: string; expiresAt: Date }> {
  const person = await findActivePerson(ctx, input.email)
  const refusal = new Problem('not_found', 'The project names no person with this address')
  if (person === null) throw refusal
  const authority =
    caller.actor.type === 'system'
      ? byVisitor('host', caller.channel)
      : byOwner(caller, [person.id], refusal)
  return inUnitOfWork(ctx, authority, async (unit) => {
    const link = await insertSignInLink(unit, {
      personId: person.id,
      mailed: false,
      proofHash: null,
    })
    if (input.sessionId !== undefined) await requireSession(unit, input.sessionId)
    await unit.audit({
      type: 'credential.changed',
      detail: { personId: person.id, change: 'link_created' },
    })
    return { ...link, personId: person.id }
  })
}

/**
 * Locks a session until the commit, so that whoever ends it finds the link that it made. Call it
 * after the link is inserted: whoever ends sessions locks links first, too. Rejects with
 * `unauthenticated` if the session has ended since the call began.
 */
async function requireSession({ tx }: UnitOfWork, sessionId: string): Promise<void> {
  const session = await tx
    .selectFrom('session')
    .select('id')
    .where('id', '=', sessionId)
    .forKeyShare()
    .executeTakeFirst()
  if (session === undefined) throw new Problem('unauthenticated', 'The session has ended')
}

/** Stores a new link's hash in the caller's transaction, and deletes day-old links. */
export async function insertSignInLink(
  unit: UnitOfWork,
  input: {
    readonly personId: string
    readonly mailed: boolean
    /** hash of the proof of the only browser that may use it; null: any browser */
    readonly proofHash: string | null
  },
): Promise<{ token: string; expiresAt: Date }> {
  const token = newToken()
  await unit.tx
    .deleteFrom('sign_in_link')
    .where('expires_at', '<', sql<Date>`clock_timestamp() - interval '1 day'`)
    .execute()
  const row = await unit.tx
    .insertInto('sign_in_link')
    .values({
      token_hash: hashToken(token),
      person_id: input.personId,
      mailed: input.mailed,
      proof_hash: input.proofHash,
      expires_at: sql<Date>`clock_timestamp() + ${linkLastsMs} * interval '1 millisecond'`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await sealInserted(unit, 'sign_in_link', row)
  return { token, expiresAt: row.expires_at }
}

/** What opens a link, and where. */
interface LinkUse extends SignInSurroundings {
  readonly token: string
  /** a live session of another person may end */
  readonly replaceSession: boolean
}

/**
 * Uses a link, once: of two concurrent callers, one signs in. The link that ends a sign-in at a
 * provider works in the browser that began it only. Any other link may have been sent by somebody
 * who wants this browser to act as them: while another person is signed in here, it rejects with
 * `conflict` and leaves the link unused, unless `replaceSession` permits the change. Rejects with
 * `unauthenticated`, also when the person left the project since; refusals are audited.
 */
export async function consumeSignInLink(
  ctx: ServiceContext,
  input: LinkUse,
): Promise<StartedSession> {
  const useId = newId()
  const outcome = await inUnitOfWork(ctx, byVisitor('sign-in', input.channel), async (unit) => {
    const link = await unit.tx
      .selectFrom('sign_in_link')
      .selectAll()
      .where('token_hash', '=', hashToken(input.token))
      .where('used_at', 'is', null)
      .where('expires_at', '>', sql<Date>`clock_timestamp()`)
      .where(sql<boolean>`(proof_hash is null or proof_hash = ${input.proofHash})`)
      .forUpdate()
      .executeTakeFirst()
    if (link === undefined || !unit.seals.holds('sign_in_link', link)) return { why: 'not_valid' }
    if (link.proof_hash === null && !input.replaceSession) {
      const personHere = await findPersonHere(unit, input)
      if (personHere !== null && personHere.id !== link.person_id) {
        const people = { personId: personHere.id, linkPersonId: link.person_id }
        const detail = { method: 'link', why: 'other_session', ...people }
        await unit.audit({ type: 'session.refused', detail })
        return { personHere }
      }
    }
    await unit.tx
      .updateTable('sign_in_link')
      .set({ used_at: sql`clock_timestamp()` })
      .where('token_hash', '=', link.token_hash)
      .execute()
    const key = { kind: 'link', id: link.token_hash } as const
    if (!(await isFirstUse(ctx.ledger, key, useId))) return { why: 'not_valid' }
    const person = await readEnabledPerson(unit, link.person_id)
    if (person === null || !(await isAdmittedNow(ctx, unit, person)))
      return { why: 'unknown_person' }
    const method = link.proof_hash === null ? 'link' : 'oidc'
    return { session: await startSession(unit, { ...input, person, method }) }
  })
  if ('why' in outcome) {
    return refuseSignIn(ctx, { method: 'link', why: outcome.why, channel: input.channel })
  }
  if ('session' in outcome) return outcome.session
  const { name } = outcome.personHere
  throw new Problem(
    'conflict',
    `${name} is signed in here, and this link is for somebody else: to end that session, send replaceSession: true`,
    { signedInAs: name },
  )
}

/**
 * Audits that somebody asked for another person's sign-in link, and rejects with `forbidden`,
 * whatever rights they have (security.md 38). Such a link is mailed to that person or made on the
 * host.
 */
export async function refuseOthersLink(ctx: ServiceContext, caller: Caller): Promise<never> {
  const { actor, channel } = caller
  const detail = { method: 'link', why: 'for_somebody_else' }
  await recordRefusal(ctx, { type: 'session.refused', actor, channel, detail })
  const refusal = new Problem(
    'forbidden',
    'You cannot create a sign-in link for another person: they can have one mailed from the sign-in page, or somebody creates it on the host with "countersign people link EMAIL"',
  )
  markRecorded(refusal)
  throw refusal
}
