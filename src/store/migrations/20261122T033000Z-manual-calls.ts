import { sql, type Kysely } from 'kysely'

/**
 * Calls that people make of manual tools (product.md 5). A call has a turn of its own below zero,
 * so that it is no sibling of what the model asked for; where it stands in the run is `after_turn`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table manual_call (
      call_id uuid primary key references tool_call(id),
      run_id uuid not null references run(id),
      invoked_by uuid not null references person(id),
      after_turn integer not null,
      -- the message by which its result entered the transcript
      message_id uuid unique references message(id),
      created_at timestamptz not null default clock_timestamp()
    );
    -- the transcript, and what a workflow that begins has to bring on
    create index manual_call_of_run on manual_call (run_id, created_at);
  `.execute(db)
}
