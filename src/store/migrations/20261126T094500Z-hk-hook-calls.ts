import { sql, type Kysely } from 'kysely'

/**
 * The facts about a call that an agent's hook asked about: its identity in the session, the agent's
 * id of the call, and whether the agent has been sent the outcome.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table external_request
      add column hook_call text,
      add column hook_use text,
      add column told_at timestamptz
  `.execute(db)
  // An equal call that the same session makes again, and the outcome of one.
  await sql`
    create index external_request_hook_call on external_request (owner_id, hook_call)
      where hook_call is not null
  `.execute(db)
}
