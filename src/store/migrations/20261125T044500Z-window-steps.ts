import { sql, type Kysely } from 'kysely'

/**
 * What of a transcript its model no longer sees: results that were left out, and turns that a
 * summary stands for. Steps are only added. `prompt_bytes`: how much a model step was sent, from
 * which the next one is estimated.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table run_window (
      run_id uuid not null references run(id) on delete cascade,
      number integer not null,
      kind text not null check (kind in ('elision', 'compaction')),
      at_turn integer not null,
      from_turn integer not null,
      through_turn integer not null,
      through_position integer not null,
      results_over integer not null,
      text text check ((kind = 'compaction') = (text is not null)),
      created_at timestamptz not null default clock_timestamp(),
      primary key (run_id, number)
    );
    alter table turn_attempt add column prompt_bytes bigint;
  `.execute(db)
}
