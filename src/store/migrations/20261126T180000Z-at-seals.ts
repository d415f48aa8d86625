import { sql, type Kysely } from 'kysely'

/** Seals of rows that a sign-in, a key and a link with Slack are made from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['passkey_challenge', 'api_key_proposal', 'slack_link_code']) {
    await sql`alter table ${sql.table(table)} add column seal text`.execute(db)
  }
}
