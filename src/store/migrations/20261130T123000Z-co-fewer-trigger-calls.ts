import { sql, type Kysely } from 'kysely'

/** A run that no key started, and that no run is above, has no owner but who started it. */
const ownersOfRuns = `
  create or replace trigger run_owned before insert on run for each row
    when (new.co_owner_id is null
      and (new.api_key_id is not null or new.parent_run_id is not null))
    execute function own_run();
`

/** A request that alone waits of its turn has its place by its own urgency. */
const placesOfTurns = `
  create or replace function place_opened_turns() returns trigger language plpgsql as $$
  begin
    perform place_turn(run_id, turn) from opened
      where run_id is not null and turn is not null group by run_id, turn
      having (select count(*) from request as waiting where waiting.run_id = opened.run_id
        and waiting.turn = opened.turn and waiting.state = 'pending') > 1;
    return null;
  end $$;
`

/** These functions had nothing to do in most starts, and were called in each. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(ownersOfRuns).execute(db)
  await sql.raw(placesOfTurns).execute(db)
}
