import { sql, type Kysely } from 'kysely'

/**
 * Runs have a number, short enough to say aloud, in the order in which they were started; a run may
 * be a conversation, which rests after each answer; a run may be forked from another.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table run
      add column number bigint,
      add column rest_for_seconds integer check (rest_for_seconds > 0),
      add column rest text check (rest in ('answered', 'stopped', 'limit', 'budget', 'model_failed')),
      add column rests_until timestamptz,
      add column forked_from uuid references run(id),
      add column forked_after_turn integer;
    update run set number = numbered.number
      from (select id, row_number() over (order by created_at, id) as number from run) as numbered
      where numbered.id = run.id;
    update run set rest = case
        when failure->>'code' like 'limit\\_%' then 'limit'
        when failure->>'code' = 'model_failed' then 'model_failed'
        else 'stopped' end
      where state = 'waiting_for_input';
    alter table run alter column number set not null;
    alter table run alter column number add generated always as identity;
    select setval(pg_get_serial_sequence('run', 'number'), coalesce(max(number), 0) + 1, false) from run;
    -- a run by its number
    create unique index run_by_number on run (number);
    -- conversations whose rest is over
    create index run_resting on run (rests_until) where rests_until is not null and ended_at is null;
    create index run_forks on run (forked_from) where forked_from is not null;
    create table run_prefix (
      run_id uuid not null references run(id),
      from_run_id uuid not null references run(id),
      first_turn integer not null,
      last_turn integer not null,
      primary key (run_id, first_turn)
    );
    -- retention: whose words a fork still needs
    create index run_prefix_from on run_prefix (from_run_id);
    create table run_principal (
      run_id uuid not null references run(id),
      person_id uuid not null references person(id),
      primary key (run_id, person_id)
    );
  `.execute(db)
}
