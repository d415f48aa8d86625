import { sql } from 'kysely'
import { Problem } from '../../domain/problem.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork, type UnitOfWork } from '../unit-of-work.ts'
import { findActivePerson } from './find-active-person.ts'
import { refuseSignIn } from './refuse-sign-in.ts'
import { startSession, type SignInSurroundings, type StartedSession } from './start-session.ts'
import { hashToken, newToken } from './token.ts'

/** How long a link waits to be used. */
const linkLastsMs = 15 * 60_000

/**
 * Makes a link that signs a person in, once, within 15 minutes. The caller has been authorised: the person,
 * whoever is on the host, or has the right `activatePolicy`. Rejects with `not_found`. Audits `credential.changed`.
 */
export async function createSignInLink(
  ctx: ServiceContext,
  caller: Caller,
  input: { email: string },
): Promise<{ token: string; personId: string; expiresAt: Date }> {
  const person = await findActivePerson(ctx, input.email)
  if (person === null) throw new Problem('not_found', 'The project names nobody with this address')
  return inUnitOfWork(ctx, async (unit) => {
    const link = await insertSignInLink(unit, { personId: person.id, mailed: false })
    await unit.audit({
      type: 'credential.changed',
      actor: caller.actor,
      channel: caller.channel,
      detail: { personId: person.id, change: 'link_created' },
    })
    return { ...link, personId: person.id }
  })
}

/** Stores the hash of a new link, in the caller's transaction; those of yesterday go. */
export async function insertSignInLink(
  unit: UnitOfWork,
  input: { readonly personId: string; readonly mailed: boolean },
): Promise<{ token: string; expiresAt: Date }> {
  const token = newToken()
  await unit.tx
    .deleteFrom('sign_in_link')
    .where('expires_at', '<', sql<Date>`clock_timestamp() - interval '1 day'`)
    .execute()
  const { expires_at: expiresAt } = await unit.tx
    .insertInto('sign_in_link')
    .values({
      token_hash: hashToken(token),
      person_id: input.personId,
      mailed: input.mailed,
      expires_at: sql<Date>`clock_timestamp() + ${linkLastsMs} * interval '1 millisecond'`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return { token, expiresAt }
}

/** Takes a link, once: two people who race for it, one signs in. Rejects with `unauthenticated`; refusals are audited. */
export async function consumeSignInLink(
  ctx: ServiceContext,
  input: SignInSurroundings & { readonly token: string },
): Promise<StartedSession> {
  const session = await inUnitOfWork(ctx, async (unit) => {
    const link = await unit.tx
      .updateTable('sign_in_link')
      .set({ used_at: sql`clock_timestamp()` })
      .where('token_hash', '=', hashToken(input.token))
      .where('used_at', 'is', null)
      .where('expires_at', '>', sql<Date>`clock_timestamp()`)
      .returning('person_id')
      .executeTakeFirst()
    if (link === undefined) return null
    const person = await unit.tx
      .selectFrom('person')
      .select(['id', 'name'])
      .where('id', '=', link.person_id)
      .where('disabled_at', 'is', null)
      .executeTakeFirst()
    if (person === undefined) return null
    return startSession(unit, { ...input, person, method: 'link' })
  })
  if (session !== null) return session
  return refuseSignIn(ctx, { method: 'link', why: 'not_valid', channel: input.channel })
}
