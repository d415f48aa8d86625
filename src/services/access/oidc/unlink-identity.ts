import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { syncGroupMembers } from './sync-group-members.ts'
import { byRight } from '../../core/authority.ts'

/**
 * Removes the accounts at sign-in providers of a person, and the teams that their groups filled:
 * the next account with their verified address becomes theirs. Takes the right `managePeople`.
 * Rejects with `not_found`. Audits `credential.changed`.
 */
export async function unlinkIdentity(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly email: string },
): Promise<void> {
  const authority = await byRight(ctx, caller, 'managePeople')
  const { config } = await ctx.policies.inForce()
  await inUnitOfWork(ctx, authority, async (unit) => {
    const removed = await unit.tx
      .deleteFrom('identity')
      .where('person_id', 'in', (query) =>
        query.selectFrom('person').select('id').where('email', '=', input.email),
      )
      .returning(['person_id', 'issuer'])
      .execute()
    const [first] = removed
    if (first === undefined) {
      throw new Problem('not_found', 'No person with this address signs in at a provider')
    }
    await syncGroupMembers(unit, config, first.person_id)
    const issuers = removed.map(({ issuer }) => issuer)
    await unit.audit({
      type: 'credential.changed',
      detail: { personId: first.person_id, change: 'identity_unlinked', issuers },
    })
  })
}
