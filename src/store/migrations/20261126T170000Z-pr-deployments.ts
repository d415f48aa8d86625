import { sql, type Kysely } from 'kysely'

/**
 * Which entry of `deployments` a request for a deployment came through, and as which installation
 * GitHub is answered.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table external_request add column deployment jsonb`.execute(db)
}
