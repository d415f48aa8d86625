import { Problem } from '../../../domain/problem.ts'
import type { Caller, ServiceContext } from '../../context.ts'
import { inUnitOfWork } from '../../unit-of-work.ts'
import { requireRight } from '../has-right.ts'
import { syncGroupMembers } from './sync-group-members.ts'

/**
 * Forgets which accounts of sign-in providers are a person's, and with them the teams that their groups filled: the next
 * account with their verified address is theirs. Takes the right `activatePolicy`. Rejects with `not_found`. Audits
 * `credential.changed`.
 */
export async function unlinkIdentity(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly email: string },
): Promise<void> {
  await requireRight(ctx, caller, 'activatePolicy')
  const { config } = await ctx.policies.inForce()
  await inUnitOfWork(ctx, async (unit) => {
    const gone = await unit.tx
      .deleteFrom('identity')
      .where('person_id', 'in', (query) =>
        query.selectFrom('person').select('id').where('email', '=', input.email),
      )
      .returning(['person_id', 'issuer'])
      .execute()
    const [first] = gone
    if (first === undefined) {
      throw new Problem('not_found', 'Nobody with this address signs in at a provider')
    }
    await syncGroupMembers(unit.tx, config, first.person_id)
    const issuers = gone.map(({ issuer }) => issuer)
    await unit.audit({
      type: 'credential.changed',
      actor: caller.actor,
      channel: caller.channel,
      detail: { personId: first.person_id, change: 'identity_unlinked', issuers },
    })
  })
}
