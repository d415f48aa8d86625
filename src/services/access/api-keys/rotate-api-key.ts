import { sql, type Selectable } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Tx } from '#store/database.ts'
import type { ApiKeyTable } from '#store/tables/people.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { lockCallerShared } from '../../core/locks.ts'
import { inUnitOfWork, type JudgingContext, type UnitOfWork } from '../../core/unit-of-work.ts'
import { noSecretOf, type ApiKeyRecord } from './api-key.ts'
import { hashToken, newToken } from '../token.ts'
import { byOwner } from '../../core/authority.ts'

/** The key after its rotation, with the new secret, which is shown this once. */
export interface RotatedKey extends Pick<ApiKeyRecord, 'expiresAt' | 'previousUntil'> {
  readonly key: string
}

/**
 * Gives a key a new secret under the same id, name and scopes, so that requests made with it stay
 * its own. The previous secret works for `overlapMs` more; the one before it stops now. A key that
 * expires gets its whole lifetime again. Only its owner may rotate it (security.md 38). Rejects
 * with `not_found` for anybody else's key, `conflict` for one that has ended. Audits `key.created`
 * with `rotated`.
 */
export async function rotateApiKey(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly id: string; readonly overlapMs: number },
): Promise<RotatedKey> {
  const secret = newToken()
  const judge = ({ tx }: JudgingContext) => lockOwnKey(tx, caller, input.id)
  return inUnitOfWork(ctx, judge, async (unit, { old }) => {
    if (old.revoked_at !== null || old.is_over) {
      throw new Problem('conflict', 'This key has expired or was revoked: create another one')
    }
    if (old.secret_hash === noSecretOf(input.id)) {
      throw new Problem(
        'conflict',
        'This is a client of the sign-in provider, which renews its tokens',
      )
    }
    const hash = hashToken(secret)
    const now = await replaceSecret(unit, old, { hash, overlapMs: input.overlapMs })
    if (old.previous_hash !== null) unit.revoke('key_secret', [old.previous_hash])
    // Recorded now with its time, so that the old secret ends then, even if SQL puts the row back
    // (security.md 29).
    unit.revoke('key_secret', [old.secret_hash], now.previous_until)
    await unit.audit({
      type: 'key.created',
      detail: {
        keyId: input.id,
        ownerId: old.owner_id,
        scopes: old.scopes,
        rotated: true,
        previousUntil: now.previous_until?.toISOString() ?? null,
        previousSecretHash: old.secret_hash,
        ...(old.previous_hash === null ? {} : { endedSecretHash: old.previous_hash }),
      },
    })
    return {
      key: `cs_${input.id}_${secret}`,
      expiresAt: now.expires_at,
      previousUntil: now.previous_until,
    }
  })
}

/** The key under its lock, and the authority of its owner. Rejects with `not_found`. */
async function lockOwnKey(tx: Tx, caller: Caller, id: string) {
  await lockCallerShared(tx, caller)
  const old = await tx
    .selectFrom('api_key')
    .selectAll()
    .select(sql<boolean>`coalesce(expires_at <= clock_timestamp(), false)`.as('is_over'))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  const refusal = new Problem('not_found', 'You have no such key: only its owner can rotate a key')
  if (old === undefined) throw refusal
  return { old, authority: byOwner(caller, [old.owner_id], refusal) }
}

/** Gives a key its new secret and times, and a new seal if its own held. Returns its new row. */
async function replaceSecret(
  unit: UnitOfWork,
  old: Selectable<ApiKeyTable>,
  { hash, overlapMs }: { readonly hash: string; readonly overlapMs: number },
): Promise<Selectable<ApiKeyTable>> {
  const overlaps = overlapMs > 0
  const now = await unit.tx
    .updateTable('api_key')
    .set({
      secret_hash: hash,
      rotated_at: sql<Date>`clock_timestamp()`,
      expires_at: sql<Date | null>`clock_timestamp() + (expires_at - coalesce(rotated_at, created_at))`,
      previous_hash: overlaps ? old.secret_hash : null,
      previous_until: overlaps
        ? sql<Date>`clock_timestamp() + ${overlapMs} * interval '1 millisecond'`
        : null,
    })
    .where('id', '=', old.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await unit.tx
    .updateTable('api_key')
    .set({ seal: unit.seals.holds('api_key', old) ? unit.seals.of('api_key', now) : old.seal })
    .where('id', '=', old.id)
    .execute()
  return now
}
