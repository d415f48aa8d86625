import { Problem } from '../../domain/problem.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'

/** Ends one of the caller's links, at once. Rejects with `not_found` for others'. Audits `credential.changed`. */
export async function removeSlackLink(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly id: string },
): Promise<void> {
  const { actor } = caller
  if (actor.type !== 'person') throw new Problem('forbidden', 'Only people are linked')
  await inUnitOfWork(ctx, async (unit) => {
    const gone = await unit.tx
      .deleteFrom('slack_link')
      .where('id', '=', input.id)
      .where('person_id', '=', actor.id)
      .returning(['team', 'user_id'])
      .executeTakeFirst()
    if (gone === undefined) throw new Problem('not_found', 'You have no such link')
    await unit.audit({
      type: 'credential.changed',
      actor,
      channel: caller.channel,
      detail: {
        personId: actor.id,
        change: 'slack_unlinked',
        team: gone.team,
        slackUser: gone.user_id,
      },
    })
  })
}
