import { sql, type Kysely } from 'kysely'

/**
 * The pictures, sounds and blobs of a call's result, in the result's order. Only what is named here
 * is ever served as bytes of that call: a hash inside an output is the tool's word.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table result_file (
      call_id uuid not null references tool_call(id),
      position integer not null check (position > 0),
      hash text not null references content(hash),
      media_type text not null,
      bytes integer not null check (bytes >= 0),
      primary key (call_id, position)
    )
  `.execute(db)
}
