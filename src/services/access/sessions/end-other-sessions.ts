import { Problem } from '../../../domain/problem.ts'
import type { Caller, ServiceContext } from '../../context.ts'
import { inUnitOfWork } from '../../unit-of-work.ts'
import { requireRight } from '../has-right.ts'

/**
 * Ends every session of the caller but the one they ask with; with `email` all of another person, which takes the
 * right `activatePolicy`. How many ended. Rejects with `forbidden` or `not_found`. Audits `session.ended` for each.
 */
export async function endOtherSessions(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly currentId: string; readonly email?: string },
): Promise<number> {
  if (caller.actor.type !== 'person') throw new Problem('forbidden', 'Only people have sessions')
  if (input.email !== undefined) await requireRight(ctx, caller, 'activatePolicy')
  const ownId = caller.actor.id
  return inUnitOfWork(ctx, async (unit) => {
    const person = await unit.tx
      .selectFrom('person')
      .select('id')
      .where(input.email === undefined ? 'id' : 'email', '=', input.email ?? ownId)
      .executeTakeFirst()
    if (person === undefined) throw new Problem('not_found', 'Nobody has this address')
    const ended = await unit.tx
      .deleteFrom('session')
      .where('person_id', '=', person.id)
      .where('id', '!=', input.currentId)
      .returning('id')
      .execute()
    await unit.audit(
      ...ended.map(({ id }) => ({
        type: 'session.ended' as const,
        actor: caller.actor,
        channel: caller.channel,
        detail: { personId: person.id, sessionId: id, why: 'ended_by_person' },
      })),
    )
    return ended.length
  })
}
