import { sql, type Kysely } from 'kysely'

/**
 * The owners of a run or a request in its own row, so that an index serves the pages of people
 * without a team. `co_owner_id`: for a run, the owner of the key that started it for another
 * person; for a program's request, the person for whom it asks. Delegated runs have the owners of
 * the run above. These columns decide who sees a row, and nothing else: no decision depends on
 * them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(columns).execute(db)
  await sql.raw(ownersOfEarlierRows).execute(db)
  await sql.raw(indexes).execute(db)
}

const columns = `
  alter table run add column co_owner_id uuid;
  alter table request add column owner_id uuid, add column co_owner_id uuid;

  create function own_run() returns trigger language plpgsql as $$
  begin
    new.co_owner_id := coalesce(
      (select owner_id from api_key
        where id = new.api_key_id and owner_id is distinct from new.started_by),
      (select coalesce(co_owner_id, nullif(started_by, new.started_by))
        from run where id = new.parent_run_id));
    return new;
  end $$;
  create trigger run_owned before insert on run for each row
    when (new.co_owner_id is null) execute function own_run();

  -- A program's request is written with its owners.
  create function own_request() returns trigger language plpgsql as $$
  begin
    select started_by, co_owner_id into new.owner_id, new.co_owner_id
      from run where id = new.run_id;
    return new;
  end $$;
  create trigger request_owned before insert on request for each row
    when (new.run_id is not null and new.owner_id is null) execute function own_request();
`

/** Sets the owners in earlier rows that triggers set in new ones. */
export const ownersOfEarlierRows = `
  update run set co_owner_id = coalesce(
      nullif(key.owner_id, run.started_by), nullif(root.started_by, run.started_by))
    from run as root left join api_key as key on key.id = root.api_key_id
    where root.id = run.root_run_id
      and (key.owner_id is distinct from run.started_by or run.id <> root.id);
  update request set owner_id = run.started_by, co_owner_id = run.co_owner_id
    from run where run.id = request.run_id;
  update request set owner_id = external.owner_id,
      co_owner_id = nullif(external.on_behalf_of, external.owner_id)
    from external_request as external where external.request_id = request.id;
`

const indexes = `
  -- lists of requests: those of one person, most urgent first, and newest first
  create index request_of_owner_by_urgency on request (owner_id, urgency_rank, urgency_at);
  create index request_of_owner on request (owner_id, created_at);
  create index request_of_co_owner_by_urgency on request (co_owner_id, urgency_rank, urgency_at)
    where co_owner_id is not null;
  create index request_of_co_owner on request (co_owner_id, created_at)
    where co_owner_id is not null;
  -- lists of runs: those that a person's key had started
  create index run_of_co_owner on run (co_owner_id, created_at desc, id desc)
    where co_owner_id is not null;
  -- the trail of those who see only their own requests: what is of none is passed over
  create index audit_event_of_requests on audit_event (at desc, id desc)
    where request_id is not null;
  -- What a key started was looked for by it.
  drop index run_of_key;
`
