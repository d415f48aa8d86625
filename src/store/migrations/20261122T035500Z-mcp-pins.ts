import { sql, type Kysely } from 'kysely'

/**
 * What MCP servers said of their tools when a version was activated (product.md 25): the first
 * listing after it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table mcp_pin (
      activation integer not null references policy_activation(sequence),
      worker text not null,
      server text not null,
      -- how the server is reached
      server_hash text not null,
      definitions_hash text not null references content(hash),
      pinned_at timestamptz not null default clock_timestamp(),
      -- when a listing was first seen that says something else
      changed_at timestamptz,
      primary key (activation, worker, server)
    )
  `.execute(db)
}
