import { Problem } from '../../domain/problem.ts'
import { requireRight } from '../access/has-right.ts'
import type { Caller, SigningContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { endProposal, openProposal } from './open-proposal.ts'
import { lockActivation } from './store-activation.ts'

/**
 * Takes a version that waits for a second person back. Takes the right `activatePolicy`. Rejects with `not_found` when
 * it is not the one that waits. Audits `policy.withdrawn`.
 */
export async function cancelProposal(
  ctx: SigningContext,
  caller: Caller,
  input: { readonly proposalId: string },
): Promise<void> {
  await requireRight(ctx, caller, 'activatePolicy')
  await inUnitOfWork(ctx, async (unit) => {
    await lockActivation(unit, ctx)
    const open = await openProposal(unit.tx, ctx.verifier)
    if (open?.id !== input.proposalId) {
      throw new Problem('not_found', 'No such version waits for a second person')
    }
    await endProposal(unit, caller, open, open.isOver ? 'expired' : 'cancelled')
  })
}
