import { sql, type Kysely } from 'kysely'

/**
 * The entry of `deployments` of a deployment's request, and the installation that answers GitHub.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table external_request add column deployment jsonb`.execute(db)
}
