import { sql, type Kysely } from 'kysely'

/**
 * Seals of notifications, and of where a request's message in Slack is: only what this service
 * wrote is sent, and only to where it was posted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['delivery', 'slack_message']) {
    await sql`alter table ${sql.table(table)} add column seal text`.execute(db)
  }
}
