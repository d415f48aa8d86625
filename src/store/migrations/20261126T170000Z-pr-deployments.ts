import { sql, type Kysely } from 'kysely'

/** For a deployment's request: its entry in `deployments`, and who answers GitHub. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table external_request add column deployment jsonb`.execute(db)
}
