import { sql, type Kysely } from 'kysely'

/**
 * For the request of a deployment: its entry in `deployments`, and the installation that answers
 * GitHub.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table external_request add column deployment jsonb`.execute(db)
}
