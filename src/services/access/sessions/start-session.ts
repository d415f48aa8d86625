import { sql } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { Actor, Channel } from '#domain/actor.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { type ActivePerson, readEnabledPerson } from '../find-active-person.ts'
import { idleSince, type SessionTimes } from './session-times.ts'
import { sealInserted } from '../sealed-rows.ts'
import { hashToken, newToken } from '../token.ts'

/** The ways in which somebody can prove who they are. */
export const signInMethods = ['development', 'link', 'oidc', 'passkey'] as const
export type SignInMethod = (typeof signInMethods)[number]

/** Where somebody signs in. */
export interface SignInSurroundings {
  readonly channel: Channel
  readonly times: SessionTimes
  /** the token of the session that this one replaces */
  readonly replacesToken: string | null
  /** a short name for the list of sessions: `Firefox on Linux` */
  readonly device: string
  /**
   * hash of the proof that a browser sends with every call from now on; null: for a program, whose
   * cookie no browser has
   */
  readonly proofHash: string | null
}

export interface StartedSession {
  /** goes into the cookie; only its hash is stored */
  readonly token: string
  readonly method: SignInMethod
  readonly csrfToken: string
  readonly personId: string
  readonly expiresAt: Date
}

/**
 * Starts a session in the caller's transaction, and ends the one it replaces and the person's
 * expired ones. Audits all of it.
 */
export async function startSession(
  unit: UnitOfWork,
  input: SignInSurroundings & {
    readonly person: { readonly id: string; readonly name: string }
    readonly method: SignInMethod
  },
): Promise<StartedSession> {
  const actor = { type: 'person', id: input.person.id, name: input.person.name } as const
  await endStale(unit, actor, input)
  const token = newToken()
  const csrfToken = newToken()
  const id = newId()
  const row = await unit.tx
    .insertInto('session')
    .values({
      token_hash: hashToken(token),
      id,
      person_id: input.person.id,
      csrf_token: csrfToken,
      proof_hash: input.proofHash,
      channel: input.method,
      device: input.device,
      expires_at: sql<Date>`clock_timestamp() + ${input.times.absoluteMs} * interval '1 millisecond'`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await sealInserted(unit, 'session', row)
  const { expires_at: expiresAt } = row
  await unit.audit({
    type: 'session.started',
    actor,
    channel: input.channel,
    detail: { method: input.method, sessionId: id },
  })
  return { token, method: input.method, csrfToken, personId: input.person.id, expiresAt }
}

/**
 * The person whose live session a sign-in here would end; null: there is none. A caller who cannot
 * use that session, because they lack its proof, learns nothing of it (security.md 39).
 */
export async function findPersonHere(
  unit: UnitOfWork,
  here: SignInSurroundings,
): Promise<ActivePerson | null> {
  if (here.replacesToken === null) return null
  const session = await unit.tx
    .selectFrom('session')
    .selectAll()
    .where(isReplaced(here))
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .where('last_seen_at', '>', idleSince(here.times))
    .executeTakeFirst()
  if (session === undefined || !unit.seals.holds('session', session)) return null
  return readEnabledPerson(unit, session.person_id)
}

/** In a query of sessions: whether a sign-in here replaces the session. */
function isReplaced({ replacesToken, proofHash }: SignInSurroundings) {
  const tokenHash = replacesToken === null ? '' : hashToken(replacesToken)
  return sql<boolean>`(token_hash = ${tokenHash} and (proof_hash is null or proof_hash = ${proofHash}))`
}

/** Ends the session that a new one replaces, and the person's expired ones. */
async function endStale(
  unit: UnitOfWork,
  actor: Actor,
  input: SignInSurroundings & { readonly person: { readonly id: string } },
): Promise<void> {
  const { rows } = await sql<{ personId: string; sessionId: string; why: string }>`
    delete from session
    where ${isReplaced(input)}
      or (person_id = ${input.person.id} and (
        expires_at <= clock_timestamp() or last_seen_at <= ${idleSince(input.times)}))
    returning person_id as "personId", id as "sessionId",
      case when ${isReplaced(input)} then 'replaced' else 'expired' end as why
  `.execute(unit.tx)
  unit.revoke(
    'session',
    rows.map(({ sessionId }) => sessionId),
  )
  await unit.audit(
    ...rows.map((detail) => ({
      type: 'session.ended' as const,
      actor,
      channel: input.channel,
      detail: { ...detail },
    })),
  )
}
