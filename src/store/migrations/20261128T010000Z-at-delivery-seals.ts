import { sql, type Kysely } from 'kysely'

/**
 * Seals of notifications, and of the places of requests' messages in Slack: only what this service
 * wrote is sent, and only to the place where it was posted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['delivery', 'slack_message']) {
    await sql`alter table ${sql.table(table)} add column seal text`.execute(db)
  }
}
