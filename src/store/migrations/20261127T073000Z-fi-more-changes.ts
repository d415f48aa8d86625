import { sql, type Kysely } from 'kysely'

/**
 * The number of files that an attempt changed and that have no row of their own. Null, also in all
 * earlier attempts: nobody knows what it changed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table execution add column more_changes integer`.execute(db)
}
