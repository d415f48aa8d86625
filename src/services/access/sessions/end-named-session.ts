import { Problem } from '../../../domain/problem.ts'
import type { Caller, ServiceContext } from '../../context.ts'
import { inUnitOfWork } from '../../unit-of-work.ts'
import { hasRight } from '../has-right.ts'

/**
 * Ends a session by its id: one of the caller's own, or anybody's with the right `activatePolicy`. What it holds open
 * ends with it. One that one may not see, or that is over, is `not_found`. Audits `session.ended`.
 */
export async function endNamedSession(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly id: string },
): Promise<void> {
  const mayForOthers = await hasRight(ctx, caller.actor, 'activatePolicy')
  await inUnitOfWork(ctx, async (unit) => {
    let query = unit.tx.deleteFrom('session').where('id', '=', input.id).returning('person_id')
    if (!mayForOthers) query = query.where('person_id', '=', ownIdOf(caller))
    const ended = await query.executeTakeFirst()
    if (ended === undefined) throw new Problem('not_found', 'There is no such session')
    await unit.audit({
      type: 'session.ended',
      actor: caller.actor,
      channel: caller.channel,
      detail: { personId: ended.person_id, sessionId: input.id, why: 'ended_by_person' },
    })
  })
}

function ownIdOf(caller: Caller): string {
  if (caller.actor.type === 'person') return caller.actor.id
  throw new Problem('forbidden', 'Only people have sessions')
}
