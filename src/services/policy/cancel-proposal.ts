import { Problem } from '#domain/problem.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { inUnitOfWork, type JudgingContext } from '../core/unit-of-work.ts'
import { endProposal, openProposal } from './open-proposal.ts'
import { lockActivation } from './store-activation.ts'
import { byRight } from '../core/authority.ts'

/**
 * Withdraws the version that waits for a second person. Takes the right `activatePolicy`. Rejects
 * with `not_found` when it does not wait. Audits `policy.withdrawn`.
 */
export async function cancelProposal(
  ctx: SigningContext,
  caller: Caller,
  input: { readonly proposalId: string },
): Promise<void> {
  const authority = await byRight(ctx, caller, 'activatePolicy')
  // Exclusive from the beginning: the unit takes a shared lock on the version later, and two units
  // that took it first and then the exclusive one would deadlock.
  const judge = async ({ tx }: JudgingContext) => {
    await lockActivation({ tx }, ctx)
    return { authority }
  }
  await inUnitOfWork(ctx, judge, async (unit) => {
    const open = await openProposal(unit.tx, unit)
    if (open?.id !== input.proposalId) {
      throw new Problem('not_found', 'No such version waits for a second person')
    }
    await endProposal(unit, authority, open, open.isOver ? 'expired' : 'cancelled')
  })
}
