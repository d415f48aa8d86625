import { sql, type Kysely } from 'kysely'

/** When its author last edited a comment, to tell earlier readers that it has changed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table comment add column edited_at timestamptz`.execute(db)
}
