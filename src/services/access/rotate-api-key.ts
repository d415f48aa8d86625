import { sql } from 'kysely'
import { Problem } from '../../domain/problem.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { hasRight } from './has-right.ts'
import { hashToken, newToken } from './token.ts'

/** What a rotation made: the key as it is from now on, shown this once. */
export interface RotatedKey {
  readonly key: string
  readonly expiresAt: Date | null
  /** until when the secret before works too; null: it ended at once */
  readonly previousUntil: Date | null
}

/**
 * Gives a key a new secret under the same id, name and scopes, so that what was started with it stays its own. The one
 * before works on for `overlapMs`; one before that ends now. A key that expires lasts as long again as it did. A key one
 * may not see is `not_found`, one that has ended `conflict`. Audits `key.created` with `rotated`.
 */
export async function rotateApiKey(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly id: string; readonly overlapMs: number },
): Promise<RotatedKey> {
  const mayForOthers = await hasRight(ctx, caller.actor, 'activatePolicy')
  const secret = newToken()
  return inUnitOfWork(ctx, async (unit) => {
    const old = await unit.tx
      .selectFrom('api_key')
      .select(['owner_id', 'scopes', 'secret_hash', 'revoked_at'])
      .select(sql<boolean>`coalesce(expires_at <= clock_timestamp(), false)`.as('is_over'))
      .where('id', '=', input.id)
      .forUpdate()
      .executeTakeFirst()
    const isOwn = caller.actor.type === 'person' && caller.actor.id === old?.owner_id
    if (old === undefined || (!isOwn && !mayForOthers)) {
      throw new Problem('not_found', 'There is no such key')
    }
    if (old.revoked_at !== null || old.is_over) {
      throw new Problem('conflict', 'This key has ended: create another one')
    }
    const overlaps = input.overlapMs > 0
    const now = await unit.tx
      .updateTable('api_key')
      .set({
        secret_hash: hashToken(secret),
        rotated_at: sql<Date>`clock_timestamp()`,
        expires_at: sql<Date | null>`clock_timestamp() + (expires_at - coalesce(rotated_at, created_at))`,
        previous_hash: overlaps ? old.secret_hash : null,
        previous_until: overlaps
          ? sql<Date>`clock_timestamp() + ${input.overlapMs} * interval '1 millisecond'`
          : null,
      })
      .where('id', '=', input.id)
      .returning(['expires_at', 'previous_until'])
      .executeTakeFirstOrThrow()
    await unit.audit({
      type: 'key.created',
      actor: caller.actor,
      channel: caller.channel,
      detail: {
        keyId: input.id,
        ownerId: old.owner_id,
        scopes: old.scopes,
        rotated: true,
        previousUntil: now.previous_until?.toISOString() ?? null,
      },
    })
    return {
      key: `cs_${input.id}_${secret}`,
      expiresAt: now.expires_at,
      previousUntil: now.previous_until,
    }
  })
}
