import { sql, type Kysely } from 'kysely'

/**
 * Every decision and every row of a list counts how often the call was carried out. These indexes
 * give the counted rows alone, however often the call was requested before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(consumedDigest).execute(db)
  await sql.raw(indexes).execute(db)
}

const consumedDigest = `
  alter table external_request add column consumed_digest text;

  -- A trigger, so that it also has what a process of the previous version consumes.
  create function digest_of_consumed() returns trigger language plpgsql as $$
  begin
    new.consumed_digest := (select digest from request where id = new.request_id);
    return new;
  end $$;
  create trigger external_request_consumed before update of consumed_at on external_request
    for each row when (new.consumed_at is not null) execute function digest_of_consumed();

  -- Only what was consumed within a day is counted.
  update external_request set consumed_digest = request.digest from request
    where request.id = external_request.request_id
      and external_request.consumed_at > clock_timestamp() - interval '1 day';
`

const indexes = `
  -- how often a call was carried out, by programs and by runs
  create index external_request_of_digest on external_request (consumed_digest, consumed_at)
    where consumed_digest is not null;
  -- One that a restore lost may have begun at any time.
  create index execution_started_of_digest on execution
    (executed_digest, (coalesce(started_at, 'infinity'))) where executed_digest is not null;
  drop index execution_of_digest;
`
