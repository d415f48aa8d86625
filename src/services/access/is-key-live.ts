import type { ServiceContext } from '../context.ts'

/** Whether a key that was valid once still is: not revoked, its owner not disabled. */
export async function isKeyLive(ctx: ServiceContext, keyId: string): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('api_key')
    .innerJoin('person', 'person.id', 'api_key.owner_id')
    .select('api_key.id')
    .where('api_key.id', '=', keyId)
    .where('api_key.revoked_at', 'is', null)
    .where('person.disabled_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}
