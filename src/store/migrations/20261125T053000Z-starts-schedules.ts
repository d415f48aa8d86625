import { sql, type Kysely } from 'kysely'

/** Runs start at times: each time is there once, and starts at most one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table schedule_time (
      schedule text not null,
      at timestamptz not null,
      noted_at timestamptz not null default clock_timestamp(),
      outcome text,
      run_id uuid references run(id),
      primary key (schedule, at)
    );
    -- times that have yet to start their run
    create index schedule_time_due on schedule_time (at) where outcome is null;
    create table schedule_pause (
      schedule text primary key,
      by_id uuid not null references person(id),
      at timestamptz not null default clock_timestamp()
    );
    -- the last run of a schedule or trigger
    create index run_started_from on run (started_from, created_at desc) where started_from is not null;
  `.execute(db)
}
