import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { bySelf } from '../../core/authority.ts'

/**
 * Ends one of the caller's links, at once. Rejects with `not_found` for others'. Audits
 * `credential.changed`.
 */
export async function removeSlackLink(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly id: string },
): Promise<void> {
  const authority = bySelf(caller, 'Only people can be linked')
  const { actor } = authority
  await inUnitOfWork(ctx, authority, async (unit) => {
    const removed = await unit.tx
      .deleteFrom('slack_link')
      .where('id', '=', input.id)
      .where('person_id', '=', actor.id)
      .returning(['team', 'user_id'])
      .executeTakeFirst()
    if (removed === undefined) throw new Problem('not_found', 'You have no such link')
    unit.revoke('slack_link', [input.id])
    await unit.audit({
      type: 'credential.changed',
      detail: {
        personId: actor.id,
        change: 'slack_unlinked',
        linkId: input.id,
        team: removed.team,
        slackUser: removed.user_id,
      },
    })
  })
}
