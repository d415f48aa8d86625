import { sql } from 'kysely'
import { Problem } from '../../domain/problem.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { hasRight } from './has-right.ts'

/** Revokes a key at once and for good. A key one may not see is `not_found`. Audits `key.revoked`. */
export async function revokeApiKey(
  ctx: ServiceContext,
  caller: Caller,
  input: { id: string },
): Promise<void> {
  const mayForOthers = await hasRight(ctx, caller.actor, 'activatePolicy')
  await inUnitOfWork(ctx, async (unit) => {
    const key = await unit.tx
      .selectFrom('api_key')
      .select(['owner_id', 'revoked_at'])
      .where('id', '=', input.id)
      .forUpdate()
      .executeTakeFirst()
    const isOwn = caller.actor.type === 'person' && caller.actor.id === key?.owner_id
    if (key === undefined || (!isOwn && !mayForOthers)) {
      throw new Problem('not_found', 'There is no such key')
    }
    if (key.revoked_at !== null) return
    await unit.tx
      .updateTable('api_key')
      .set({ revoked_at: sql`clock_timestamp()` })
      .where('id', '=', input.id)
      .execute()
    await unit.audit({
      type: 'key.revoked',
      actor: caller.actor,
      channel: caller.channel,
      detail: { keyId: input.id, ownerId: key.owner_id },
    })
  })
}
