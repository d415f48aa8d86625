import { sql, type Kysely } from 'kysely'

/** A run may have limits of its own, below those of its worker. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table run add column budget jsonb`.execute(db)
}
