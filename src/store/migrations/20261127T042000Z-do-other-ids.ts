import { sql, type Kysely } from 'kysely'

/** The ids of other rows of the same human, who has had other addresses; null: there are none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table person add column other_ids uuid[]`.execute(db)
}
