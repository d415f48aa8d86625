import { sql } from 'kysely'
import type { Caller, ServiceContext } from '../core/context.ts'
import { keysBefore, pageFrom, pageSize, type Page, type PageInput } from '../core/pages.ts'
import { personBehind } from '../requests/people/viewer.ts'
import { credentialColumns, recordOf, type CredentialRecord } from './credential-record.ts'
import { byRight } from '../core/authority.ts'

/**
 * Lists passkeys in use, newest first: the caller's, or everybody's with the right `managePeople`.
 * Rejects with `forbidden`.
 */
export async function listCredentials(
  ctx: ServiceContext,
  caller: Caller,
  input: PageInput & { readonly of: 'me' | 'everybody' },
): Promise<Page<CredentialRecord>> {
  const [at, id] = keysBefore(input, 'credentials', ['instant', 'text']) ?? []
  let query = ctx.db
    .selectFrom('credential')
    .innerJoin('person', 'person.id', 'credential.person_id')
    .leftJoin('person as confirmer', 'confirmer.id', 'credential.confirmed_by')
    .select(credentialColumns)
    .select(sql<string>`credential.registered_at::text`.as('key_at'))
    .where('credential.removed_at', 'is', null)
    .where('person.disabled_at', 'is', null)
    .orderBy('credential.registered_at', 'desc')
    .orderBy('credential.id', 'desc')
    .limit(pageSize(input) + 1)
  if (at !== undefined) {
    query = query.where(
      sql<boolean>`(credential.registered_at, credential.id) < (${at}::timestamptz, ${id}::uuid)`,
    )
  }
  if (input.of === 'everybody') await byRight(ctx, caller, 'managePeople')
  else query = query.where('credential.person_id', '=', personBehind(caller))
  const { items, nextCursor } = pageFrom(await query.execute(), input, 'credentials', (row) => [
    row.key_at,
    row.id,
  ])
  return { items: await Promise.all(items.map(recordOf)), nextCursor }
}
