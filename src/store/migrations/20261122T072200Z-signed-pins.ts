import { sql, type Kysely } from 'kysely'

/**
 * Pins are signed (security.md 13). Those that nobody signed go: the API asks the servers again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`delete from mcp_pin`.execute(db)
  await sql`
    alter table mcp_pin
      add column statement text not null,
      add column signature text not null,
      add column key_id text not null,
      -- what was said when a listing was first seen that says something else
      add column changed_hash text references content(hash)
  `.execute(db)
}
