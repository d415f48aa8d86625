import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import { databaseTime } from '#store/database-time.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { tamperedProblem } from '../../core/problems/tampered.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import type { ApiKeyRecord } from './api-key.ts'
import { insertApiKey } from './insert-api-key.ts'
import { proposals, proposalOf } from './list-key-proposals.ts'
import { bySelf } from '../../core/authority.ts'

/**
 * Makes the key that was proposed to the caller, once, and shows it to them alone. The proposer is
 * behind all that is done with it. Rejects with `not_found` for somebody else's proposal or one
 * that has ended, with `conflict` if the key would have expired by now. Audits `key.created`.
 */
export async function claimKeyProposal(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly id: string },
): Promise<ApiKeyRecord & { key: string }> {
  const authority = bySelf(caller, 'Only people can claim keys')
  return inUnitOfWork(ctx, authority, async (unit) => {
    const row = await proposals(unit.tx)
      .where('proposal.id', '=', input.id)
      .where('proposal.owner_id', '=', authority.actor.id)
      .forUpdate('proposal')
      .executeTakeFirst()
    if (row === undefined) throw new Problem('not_found', 'There is no such proposal')
    const proposal = proposalOf(row)
    const { name, owner, proposedBy, scopes, keyExpiresAt: expiresAt } = proposal
    if (expiresAt !== null && expiresAt <= (await databaseTime(unit.tx))) {
      throw new Problem('conflict', 'The proposed key has expired: ask for a new proposal')
    }
    const proposed = await unit.tx
      .deleteFrom('api_key_proposal')
      .where('id', '=', input.id)
      .where('expires_at', '>', sql<Date>`clock_timestamp()`)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (!unit.seals.holds('api_key_proposal', proposed)) throw tamperedProblem('api_key_proposal')
    unit.revoke('api_key_proposal', [input.id])
    return insertApiKey(unit, { name, owner, proposedBy, scopes, expiresAt, proposalId: input.id })
  })
}
