import { sql, type RawBuilder } from 'kysely'
import type { ServiceContext } from '../../core/context.ts'
import type { ApiKeyScope } from './api-key.ts'
import { checkSeals } from '../check-seals.ts'
import { hashToken } from '../token.ts'

/** What a valid key stands for. */
export interface KeyIdentity {
  readonly id: string
  /** of the secret it was shown with */
  readonly secretHash: string
  readonly name: string
  readonly ownerId: string
  /** who proposed it to its owner; null: nobody did */
  readonly proposedBy: string | null
  readonly scopes: ReadonlySet<ApiKeyScope>
}

const keyForm = /^cs_([0-9a-f]{16})_([\w-]{43})$/

/** `last_used_at` is written at most this often. */
const usedEveryMs = 60_000

/**
 * The identity behind `cs_<id>_<secret>`, or null: malformed, unknown, revoked, expired, or its
 * owner is disabled.
 */
export async function readApiKey(ctx: ServiceContext, key: string): Promise<KeyIdentity | null> {
  const [, id, secret] = keyForm.exec(key) ?? []
  if (id === undefined || secret === undefined) return null
  const secretHash = hashToken(secret)
  const row = await ctx.db
    .selectFrom('api_key')
    .innerJoin('person', 'person.id', 'api_key.owner_id')
    .selectAll('api_key')
    .select(['person.email', 'person.disabled_at', 'person.seal as person_seal'])
    .select(
      sql<boolean>`coalesce(api_key.last_used_at < clock_timestamp() - ${usedEveryMs} * interval '1 millisecond', true)`.as(
        'is_long_unused',
      ),
    )
    .where('api_key.id', '=', id)
    .where(hasSecret(secretHash))
    .where('person.disabled_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined || !(await checkSeals(ctx, 'api_key', row, row.owner_id))) return null
  if (row.is_long_unused) {
    await ctx.db
      .updateTable('api_key')
      .set({ last_used_at: sql`clock_timestamp()` })
      .where('id', '=', id)
      .execute()
  }
  return {
    id: row.id,
    secretHash,
    name: row.name,
    ownerId: row.owner_id,
    proposedBy: row.proposed_by,
    scopes: new Set(row.scopes as ApiKeyScope[]),
  }
}

/**
 * Whether a key that was valid once still is: not revoked, expired or rotated away, its owner not
 * disabled.
 */
export async function isKeyLive(
  ctx: ServiceContext,
  key: { readonly id: string; readonly secretHash: string },
): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('api_key')
    .innerJoin('person', 'person.id', 'api_key.owner_id')
    .selectAll('api_key')
    .where('api_key.id', '=', key.id)
    .where(hasSecret(key.secretHash))
    .where('person.disabled_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined && ctx.seals.holds('api_key', row)
}

/**
 * Of rows of `api_key` those that take a secret now: neither revoked nor expired, and the secret is
 * theirs, or was before a rotation whose overlap lasts. Hashes are compared: how far two of them
 * agree tells nothing about a secret.
 */
export function hasSecret(secretHash: string): RawBuilder<boolean> {
  return sql<boolean>`(
    api_key.revoked_at is null
    and coalesce(api_key.expires_at > clock_timestamp(), true)
    and (api_key.secret_hash = ${secretHash}
      or (api_key.previous_hash = ${secretHash} and api_key.previous_until > clock_timestamp())))`
}
