import { sql, type Kysely } from 'kysely'

/**
 * What a running command has written so far: the newest bytes of each stream, in one row that is
 * written over, and that goes when the call has its result. No part of the result, of the trail, or
 * of what is kept.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table live_output (
      call_id uuid not null references tool_call(id),
      stream text not null check (stream in ('stdout', 'stderr')),
      attempt integer not null,
      -- how many bytes were written before those that are here
      skipped integer not null check (skipped >= 0),
      bytes bytea not null check (octet_length(bytes) <= 65536),
      primary key (call_id, stream)
    )
  `.execute(db)
}
