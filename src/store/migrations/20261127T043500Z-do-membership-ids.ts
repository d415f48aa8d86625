import { sql, type Kysely } from 'kysely'

/**
 * A membership has an id for as long as it lasts, so that the ledger can name one that has ended:
 * the same person may join the team again. Those from before have none until the next start.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table membership add column id uuid`.execute(db)
}
