import { sql } from 'kysely'
import type { ServiceContext } from '../context.ts'
import type { ApiKeyScope } from './api-key.ts'
import { hasSecret } from './has-secret.ts'
import { hashToken } from './token.ts'

/** What a valid key stands for. */
export interface KeyIdentity {
  readonly id: string
  /** of the secret it was shown with */
  readonly secretHash: string
  readonly name: string
  readonly ownerId: string
  readonly scopes: ReadonlySet<ApiKeyScope>
}

const keyForm = /^cs_([0-9a-f]{16})_([\w-]{43})$/

/** `last_used_at` is written at most this often. */
const usedEveryMs = 60_000

/** The identity behind `cs_<id>_<secret>`, or null: malformed, unknown, revoked, expired, or its owner is disabled. */
export async function readApiKey(ctx: ServiceContext, key: string): Promise<KeyIdentity | null> {
  const [, id, secret] = keyForm.exec(key) ?? []
  if (id === undefined || secret === undefined) return null
  const secretHash = hashToken(secret)
  const row = await ctx.db
    .selectFrom('api_key')
    .innerJoin('person', 'person.id', 'api_key.owner_id')
    .select(['api_key.id', 'api_key.name', 'api_key.owner_id', 'scopes'])
    .select(
      sql<boolean>`coalesce(api_key.last_used_at < clock_timestamp() - ${usedEveryMs} * interval '1 millisecond', true)`.as(
        'is_long_unused',
      ),
    )
    .where('api_key.id', '=', id)
    .where(hasSecret(secretHash))
    .where('person.disabled_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return null
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
    scopes: new Set(row.scopes as ApiKeyScope[]),
  }
}
