import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { lockCallerShared, lockRights } from '../../core/locks.ts'
import { inUnitOfWork, type JudgingContext } from '../../core/unit-of-work.ts'
import { byOwner, byRightOrNull } from '../../core/authority.ts'

/**
 * Revokes a key at once and for good. Rejects with `not_found` for a key that the caller may not
 * see. Audits `key.revoked`.
 */
export async function revokeApiKey(
  ctx: ServiceContext,
  caller: Caller,
  input: { id: string },
): Promise<void> {
  const forOthers = await byRightOrNull(ctx, caller, 'managePeople')
  const judge = async ({ tx }: JudgingContext) => {
    if (forOthers === null) await lockCallerShared(tx, caller)
    else await lockRights(tx, [forOthers.actor.id])
    const key = await tx
      .selectFrom('api_key')
      .select(['owner_id', 'revoked_at'])
      .where('id', '=', input.id)
      .forUpdate()
      .executeTakeFirst()
    const refusal = new Problem('not_found', 'There is no such key')
    if (key === undefined) throw refusal
    return { key, authority: forOthers ?? byOwner(caller, [key.owner_id], refusal) }
  }
  await inUnitOfWork(ctx, judge, async (unit, { key }) => {
    if (key.revoked_at !== null) return
    await unit.tx
      .updateTable('api_key')
      .set({ revoked_at: sql`clock_timestamp()` })
      .where('id', '=', input.id)
      .execute()
    unit.revoke('api_key', [input.id])
    await unit.audit({
      type: 'key.revoked',
      detail: { keyId: input.id, ownerId: key.owner_id },
    })
  })
}
