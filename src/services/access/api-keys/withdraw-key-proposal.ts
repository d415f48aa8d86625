import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { bySelf, byRightOrNull } from '../../core/authority.ts'

/**
 * Ends a proposal: its owner declines it, or its proposer or somebody with the right `managePeople`
 * takes it back. Rejects with `not_found` for one that the caller may not see. Audits
 * `credential.changed`.
 */
export async function withdrawKeyProposal(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly id: string },
): Promise<void> {
  const own = bySelf(caller, 'Only people can decline keys')
  const forOthers = await byRightOrNull(ctx, caller, 'managePeople')
  const { id: ownId } = own.actor
  await inUnitOfWork(ctx, forOthers ?? own, async (unit) => {
    let query = unit.tx.deleteFrom('api_key_proposal').where('id', '=', input.id)
    if (forOthers === null) {
      query = query.where(({ eb, or }) =>
        or([eb('owner_id', '=', ownId), eb('proposed_by', '=', ownId)]),
      )
    }
    const removed = await query.returning('owner_id').executeTakeFirst()
    if (removed === undefined) throw new Problem('not_found', 'There is no such proposal')
    unit.revoke('api_key_proposal', [input.id])
    const change = removed.owner_id === ownId ? 'key_declined' : 'key_withdrawn'
    const detail = { personId: removed.owner_id, change, proposalId: input.id }
    await unit.audit({ type: 'credential.changed', detail })
  })
}
