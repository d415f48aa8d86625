import type { Caller, ServiceContext } from '../context.ts'
import type { ApiKeyRecord, ApiKeyScope } from './api-key.ts'
import { personBehind } from '../requests/viewer.ts'
import { hasRight } from './has-right.ts'

/** Keys, newest first: one's own, or everybody's for who has the right `activatePolicy`. Never their secrets. */
export async function listApiKeys(ctx: ServiceContext, caller: Caller): Promise<ApiKeyRecord[]> {
  let query = ctx.db
    .selectFrom('api_key')
    .innerJoin('person', 'person.id', 'api_key.owner_id')
    .select(['api_key.id', 'api_key.name', 'api_key.scopes'])
    .select(['api_key.created_at', 'api_key.last_used_at', 'api_key.revoked_at'])
    .select(['person.id as owner_id', 'person.name as owner_name', 'person.email as owner_email'])
    .orderBy('api_key.created_at', 'desc')
    .limit(1000)
  if (!(await hasRight(ctx, caller.actor, 'activatePolicy'))) {
    query = query.where('api_key.owner_id', '=', personBehind(caller))
  }
  return (await query.execute()).map((row) => ({
    id: row.id,
    name: row.name,
    owner: { id: row.owner_id, name: row.owner_name, email: row.owner_email },
    scopes: row.scopes as ApiKeyScope[],
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }))
}
