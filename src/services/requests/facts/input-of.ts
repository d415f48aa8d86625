import type { Selectable } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import { getText } from '#store/content/content.ts'
import type { Db } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'

/** The input of the current revision. */
export async function inputOf(
  db: Db,
  request: Pick<Selectable<RequestTable>, 'id' | 'revision'>,
): Promise<JsonObject> {
  const { input_hash: hash } = await db
    .selectFrom('request_revision')
    .select('input_hash')
    .where('request_id', '=', request.id)
    .where('revision', '=', request.revision)
    .executeTakeFirstOrThrow()
  return JSON.parse(await getText(db, hash)) as JsonObject
}
