import { sql, type Kysely } from 'kysely'

/** What a run was given with its task, as its page lists it; a run without files keeps nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table run add column attachments jsonb`.execute(db)
}
