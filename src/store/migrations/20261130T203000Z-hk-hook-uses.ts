import { sql, type Kysely } from 'kysely'

/** A second hook of a call finds by the agent's id of the call that its permit is taken. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index external_request_hook_use on external_request (owner_id, hook_use)
      where hook_use is not null
  `.execute(db)
}
