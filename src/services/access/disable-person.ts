import { sql } from 'kysely'
import { Problem } from '../../domain/problem.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { requireRight } from './has-right.ts'

/**
 * Disables a person: their sessions, links and keys end in the same transaction, and votes of theirs count no
 * more in a quorum that is not met yet (product.md 18). Takes the right `activatePolicy`. Audits `credential.changed`,
 * and each session and key that ended.
 */
export async function disablePerson(
  ctx: ServiceContext,
  caller: Caller,
  input: { email: string },
): Promise<void> {
  await requireRight(ctx, caller, 'activatePolicy')
  await inUnitOfWork(ctx, async (unit) => {
    const person = await unit.tx
      .updateTable('person')
      .set({ disabled_at: sql`coalesce(disabled_at, clock_timestamp())` })
      .where('email', '=', input.email)
      .returning('id')
      .executeTakeFirst()
    if (person === undefined) throw new Problem('not_found', 'Nobody has this address')
    const sessions = await unit.tx
      .deleteFrom('session')
      .where('person_id', '=', person.id)
      .returning('id')
      .execute()
    await unit.tx.deleteFrom('sign_in_link').where('person_id', '=', person.id).execute()
    const keys = await unit.tx
      .updateTable('api_key')
      .set({ revoked_at: sql`clock_timestamp()` })
      .where('owner_id', '=', person.id)
      .where('revoked_at', 'is', null)
      .returning('id')
      .execute()
    const by = { actor: caller.actor, channel: caller.channel }
    const personId = person.id
    await unit.audit(
      { type: 'credential.changed', ...by, detail: { personId, change: 'person_disabled' } },
      ...sessions.map(({ id }) => ({
        type: 'session.ended' as const,
        ...by,
        detail: { personId, sessionId: id, why: 'person_disabled' },
      })),
      ...keys.map(({ id }) => ({
        type: 'key.revoked' as const,
        ...by,
        detail: { keyId: id, ownerId: personId },
      })),
    )
  })
}
