import type { Caller, ServiceContext } from '../../core/context.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { bySelf, byRightOrNull, byRight } from '../../core/authority.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { lockByAddress } from '../person-by-address.ts'
import { Problem } from '#domain/problem.ts'

/** Ends the caller's session. Ending it again changes nothing. */
export async function endSession(
  ctx: ServiceContext,
  caller: Caller,
  input: { tokenHash: string },
): Promise<void> {
  const authority = bySelf(caller, 'Only people have sessions')
  await inUnitOfWork(ctx, authority, async (unit) => {
    const rows = await unit.tx
      .deleteFrom('session')
      .where('token_hash', '=', input.tokenHash)
      .returning(['person_id', 'id'])
      .executeTakeFirst()
    if (rows === undefined) return
    await recordEnded(unit, rows.person_id, [rows], 'signed_out')
  })
}

/**
 * Ends a session by its id, and the connections that it holds open. It is one of the caller's, or
 * anybody's with the right `managePeople`. The person's unused sign-in links end, too
 * ({@link deleteUnusedLinks}). Rejects with `not_found` for a session that the caller may not see,
 * or that has ended. Audits `session.ended`.
 */
export async function endNamedSession(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly id: string },
): Promise<void> {
  const forOthers = await byRightOrNull(ctx, caller, 'managePeople')
  const authority = forOthers ?? bySelf(caller, 'Only people have sessions')
  await inUnitOfWork(ctx, authority, async (unit) => {
    let query = unit.tx.deleteFrom('session').where('id', '=', input.id).returning('person_id')
    if (forOthers === null) query = query.where('person_id', '=', authority.actor.id)
    const row = await query.executeTakeFirst()
    if (row === undefined) throw new Problem('not_found', 'There is no such session')
    await deleteUnusedLinks(unit, row.person_id)
    await recordEnded(unit, row.person_id, [input], 'ended_by_person')
  })
}

/**
 * Ends all sessions of the caller except the current one; with `email`, all sessions of another
 * person, which needs the right `managePeople`. The person's unused sign-in links end, too
 * ({@link deleteUnusedLinks}). Returns how many sessions it ended. Rejects with `forbidden`,
 * `not_found` or `tampered`. Audits `session.ended` for each.
 */
export async function endOtherSessions(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly currentId: string; readonly email?: string },
): Promise<number> {
  const own = bySelf(caller, 'Only people have sessions')
  const judge =
    input.email === undefined
      ? async () => ({ authority: own })
      : oneAtATime(await byRight(ctx, caller, 'managePeople'))
  return inUnitOfWork(ctx, judge, async (unit) => {
    const person = input.email === undefined ? own.actor : await lockByAddress(unit, input.email)
    // This waits for links that are being used: the sessions that they start are deleted below.
    await deleteUnusedLinks(unit, person.id)
    const rows = await unit.tx
      .deleteFrom('session')
      .where('person_id', '=', person.id)
      .where('id', '!=', input.currentId)
      .returning('id')
      .execute()
    // The statement above has waited for the links that these sessions were making.
    await deleteUnusedLinks(unit, person.id)
    await recordEnded(unit, person.id, rows, 'ended_by_person')
    return rows.length
  })
}

/** Whoever held a session that ends may have made a link with it, and could sign in again. */
async function deleteUnusedLinks({ tx }: UnitOfWork, personId: string): Promise<void> {
  await tx
    .deleteFrom('sign_in_link')
    .where('person_id', '=', personId)
    .where('used_at', 'is', null)
    .execute()
}

/** Revokes sessions of a person whose rows this unit has deleted, and audits each. */
async function recordEnded(
  unit: UnitOfWork,
  personId: string,
  sessions: readonly { readonly id: string }[],
  why: 'signed_out' | 'ended_by_person',
): Promise<void> {
  const ids = sessions.map(({ id }) => id)
  unit.revoke('session', ids)
  await unit.audit(
    ...ids.map((sessionId) => ({
      type: 'session.ended' as const,
      detail: { personId, sessionId, why },
    })),
  )
}
