import { sql, type Kysely } from 'kysely'

/** When its author last edited a comment: those who read it before are told that it is another. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table comment add column edited_at timestamptz`.execute(db)
}
