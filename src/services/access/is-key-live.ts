import type { ServiceContext } from '../context.ts'
import { hasSecret } from './has-secret.ts'

/** Whether a key that was valid once still is: not revoked, expired or rotated away, its owner not disabled. */
export async function isKeyLive(
  ctx: ServiceContext,
  key: { readonly id: string; readonly secretHash: string },
): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('api_key')
    .innerJoin('person', 'person.id', 'api_key.owner_id')
    .select('api_key.id')
    .where('api_key.id', '=', key.id)
    .where(hasSecret(key.secretHash))
    .where('person.disabled_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}
