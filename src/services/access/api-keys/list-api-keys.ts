import type { ApiKeyScope } from '#domain/api-key-scope.ts'
import { sql } from 'kysely'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { keysBefore, pageFrom, pageSize, type Page, type PageInput } from '../../core/pages.ts'
import type { ApiKeyRecord, KeyPerson } from './api-key.ts'
import { personBehind } from '../../requests/people/viewer.ts'
import { hasRight } from '../../core/rights-of.ts'

/**
 * Lists keys, newest first: the caller's, or everybody's if they have the right `managePeople`. It
 * never returns secrets.
 */
export async function listApiKeys(
  ctx: ServiceContext,
  caller: Caller,
  page: PageInput,
): Promise<Page<ApiKeyRecord>> {
  const [at, id] = keysBefore(page, 'keys', ['instant', 'text']) ?? []
  let query = ctx.db
    .selectFrom('api_key')
    .innerJoin('person', 'person.id', 'api_key.owner_id')
    .leftJoin('person as proposer', 'proposer.id', 'api_key.proposed_by')
    .select(['api_key.id', 'api_key.name', 'api_key.scopes'])
    .select(['api_key.created_at', 'api_key.last_used_at', 'api_key.revoked_at'])
    .select(['api_key.expires_at', 'api_key.rotated_at', 'api_key.previous_until'])
    .select(['person.id as owner_id', 'person.name as owner_name', 'person.email as owner_email'])
    .select(['proposer.id as proposer_id', 'proposer.name as proposer_name'])
    .select('proposer.email as proposer_email')
    .select(sql<string>`api_key.created_at::text`.as('key_at'))
    .orderBy('api_key.created_at', 'desc')
    .orderBy('api_key.id', 'desc')
    .limit(pageSize(page) + 1)
  if (at !== undefined) {
    query = query.where(
      sql<boolean>`(api_key.created_at, api_key.id) < (${at}::timestamptz, ${id})`,
    )
  }
  if (!(await hasRight(ctx, caller.actor, 'managePeople'))) {
    query = query.where('api_key.owner_id', '=', personBehind(caller))
  }
  const { items, nextCursor } = pageFrom(await query.execute(), page, 'keys', (row) => [
    row.key_at,
    row.id,
  ])
  const keys = items.map((row) => ({
    id: row.id,
    name: row.name,
    owner: { id: row.owner_id, name: row.owner_name, email: row.owner_email },
    proposedBy: personOf(row.proposer_id, row.proposer_name, row.proposer_email),
    scopes: row.scopes as ApiKeyScope[],
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
    expiresAt: row.expires_at,
    rotatedAt: row.rotated_at,
    previousUntil: row.previous_until,
  }))
  return { items: keys, nextCursor }
}

function personOf(id: string | null, name: string | null, email: string | null): KeyPerson | null {
  return id === null || name === null || email === null ? null : { id, name, email }
}
