import { sql, type Kysely } from 'kysely'

/** Insights count the uses of a request's grants. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index approval_grant_of_request on approval_grant (request_id)`.execute(db)
}
