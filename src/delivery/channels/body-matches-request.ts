import type { Selectable } from 'kysely'
import { isJsonObject } from '#domain/json/is-object.ts'
import type { Json } from '#domain/json/json.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { Db } from '#store/database.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'
import type { RequestTable } from '#store/tables/requests.ts'

/** Why a body without a valid seal was given up. */
export const changedRows = 'its rows were changed in the database'

/** The database with the requests, and their seals. */
export interface Requests {
  readonly db: Db
  readonly seals: Seals
}

/** Whether a request is as this service wrote it: `row` is `to_jsonb(request)`. */
export function isRequestVouched(seals: Seals, { row }: { readonly row: JsonRow }): boolean {
  return seals.holds('request', fromJsonRow<Selectable<RequestTable>>(row))
}

/**
 * Whether a body that is about to be signed claims only an approval that the request has: a waiting
 * message is a row, which can be changed by SQL (security.md 29).
 */
export async function bodyMatchesRequest({ db, seals }: Requests, body: string): Promise<boolean> {
  const stated = JSON.parse(body) as Json
  const data = isJsonObject(stated) ? stated['data'] : undefined
  if (data === undefined || !isJsonObject(data) || data['state'] !== 'approved') return true
  const requestId = data['requestId']
  if (typeof requestId !== 'string') return false
  const request: Selectable<RequestTable> | undefined = await db
    .selectFrom('request')
    .selectAll()
    .where('id', '=', requestId)
    .executeTakeFirst()
  return request?.state === 'approved' && seals.holds('request', request)
}
