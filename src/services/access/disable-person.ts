import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import { within, type Caller, type ServiceContext } from '../core/context.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { byRight } from '../core/authority.ts'
import { isHeldByAnother } from '../core/rights-of.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { lockByAddress } from './person-by-address.ts'

/**
 * Disables a person: in the same transaction their sessions, links and keys end, and their votes no
 * longer count in a quorum that is not met yet (product.md 18). Takes the right `managePeople`.
 * Rejects with `not_found` and `tampered`, and with `conflict` where nobody would be left who has
 * the right. Audits `credential.changed`, and each session and key that ended.
 */
export async function disablePerson(
  ctx: ServiceContext,
  caller: Caller,
  input: { email: string },
): Promise<void> {
  const authority = await byRight(ctx, caller, 'managePeople')
  await inUnitOfWork(ctx, oneAtATime(authority), async (unit) => {
    const person = await lockByAddress(unit, input.email)
    // Somebody who disables another person keeps the right.
    if (authority.actor.id === person.id) await requireAnother(within(ctx, unit.tx), input)
    await unit.tx
      .updateTable('person')
      .set({ disabled_at: sql`coalesce(disabled_at, clock_timestamp())` })
      .where('id', '=', person.id)
      .execute()
    const sessions = await unit.tx
      .deleteFrom('session')
      .where('person_id', '=', person.id)
      .returning('id')
      .execute()
    await unit.tx.deleteFrom('sign_in_link').where('person_id', '=', person.id).execute()
    const proposals = await unit.tx
      .deleteFrom('api_key_proposal')
      .where(({ eb, or }) =>
        or([eb('owner_id', '=', person.id), eb('proposed_by', '=', person.id)]),
      )
      .returning(['id', 'owner_id'])
      .execute()
    const keys = await unit.tx
      .updateTable('api_key')
      .set({ revoked_at: sql`clock_timestamp()` })
      .where('owner_id', '=', person.id)
      .where('revoked_at', 'is', null)
      .returning('id')
      .execute()
    const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)
    unit.revoke('person', [person.id])
    unit.revoke('session', idsOf(sessions))
    unit.revoke('api_key', idsOf(keys))
    unit.revoke('api_key_proposal', idsOf(proposals))
    const personId = person.id
    await unit.audit(
      { type: 'credential.changed', detail: { personId, change: 'person_disabled' } },
      ...sessions.map(({ id }) => ({
        type: 'session.ended' as const,
        detail: { personId, sessionId: id, why: 'person_disabled' },
      })),
      ...keys.map(({ id }) => ({
        type: 'key.revoked' as const,
        detail: { keyId: id, ownerId: personId },
      })),
      ...proposals.map(({ id, owner_id: ownerId }) => ({
        type: 'credential.changed' as const,
        detail: { personId: ownerId, change: 'key_withdrawn', proposalId: id },
      })),
    )
    // Open pages name them among those who may decide.
    await unit.event('policy.changed', {})
  })
}

async function requireAnother(ctx: ServiceContext, input: { email: string }): Promise<void> {
  if (await isHeldByAnother(ctx, 'managePeople', input)) return
  throw new Problem(
    'conflict',
    'You are the only person with the right managePeople who can sign in: nobody could disable people or end sessions after you. First give somebody else that right in countersign.yaml',
  )
}
