/**
 * The order of requests by urgency: one rank from the class of deadline and the risk, and the age.
 * All requests of a turn have the place of the first of them. Triggers maintain both, and the
 * service regularly moves requests that come closer to their deadline (`urgency_next_at`). A
 * trigger locks no other request, which would break the lock order of verbs and could deadlock.
 */
export const urgency = `
  -- 3 × class (under 1 h, under 4 h, under 24 h, later) + risk; what has ended is behind all: 12
  create function urgency_rank(risk text, expires_at timestamptz, at timestamptz) returns smallint
    language sql stable parallel safe as $$
      select (3 * (case when expires_at < at + interval '1 hour' then 0
          when expires_at < at + interval '4 hours' then 1
          when expires_at < at + interval '24 hours' then 2 else 3 end)
        + case risk when 'high' then 0 when 'medium' then 1 else 2 end)::smallint
    $$;

  -- after this instant the class is another
  create function urgency_next_at(expires_at timestamptz, at timestamptz) returns timestamptz
    language sql stable parallel safe as $$
      select case when expires_at < at + interval '1 hour' then null
        when expires_at < at + interval '4 hours' then expires_at - interval '1 hour'
        when expires_at < at + interval '24 hours' then expires_at - interval '4 hours'
        else expires_at - interval '24 hours' end
    $$;

  -- of equal rank the oldest is first; of what has ended the newest
  create function urgency_at(state text, created_at timestamptz) returns bigint
    language sql stable parallel safe as $$
      select (case when state = 'pending' then 1000000 else -1000000 end
        * extract(epoch from created_at))::bigint
    $$;
  -- Pages expect from the statistics that nothing comes after the last of few ranks: it does.
  alter table request alter column urgency_rank set statistics 0;
  -- lists of requests: most urgent first, of a queue and of all
  create index request_pending_urgency on request (queue, urgency_rank, urgency_at)
    where state = 'pending';
  create index request_pending_all_urgency on request (urgency_rank, urgency_at)
    where state = 'pending';
  create index request_by_urgency on request (urgency_rank, urgency_at);
  -- rounds of urgency: what has come nearer to its deadline, and what stands with it
  create index request_urgency_due on request (urgency_next_at)
    where state = 'pending' and urgency_next_at is not null;
  create index request_pending_of_turn on request (run_id, turn) where state = 'pending';

  create function place_request() returns trigger language plpgsql as $$
  begin
    new.urgency_at := urgency_at(new.state, new.created_at);
    if new.state = 'pending' then
      new.urgency_rank := urgency_rank(new.risk, new.expires_at, clock_timestamp());
      new.urgency_next_at := urgency_next_at(new.expires_at, clock_timestamp());
      -- The next round puts it and the others of its turn together. A second update of the row
      -- here would check its foreign keys once more, and so wait for the row of its run.
      if tg_op = 'UPDATE' and new.turn is not null then
        new.urgency_next_at := clock_timestamp();
      end if;
    else
      new.urgency_rank := 12;
      new.urgency_next_at := null;
    end if;
    return new;
  end $$;
  create trigger request_placed before insert or update of state, risk, expires_at, created_at
    on request for each row execute function place_request();

  -- Gives what waits of a turn the place of the first of it: what this transaction has written,
  -- which is locked already. The next round moves the rest.
  create function place_turn(of_run uuid, of_turn integer) returns void language sql as $$
    with first as (
      select urgency_rank(risk, expires_at, clock_timestamp()) as rank,
        urgency_at(state, created_at) as at
      from request where run_id = of_run and turn = of_turn and state = 'pending'
      order by 1, 2 limit 1),
    standing as materialized (
      select request.id, request.xmin = pg_current_xact_id()::xid as is_ours,
        (urgency_rank, urgency_at) is distinct from (first.rank, first.at) as is_elsewhere
      from request, first where run_id = of_run and turn = of_turn and state = 'pending'),
    rest as (select exists (select from standing where is_elsewhere and not is_ours) as is_left)
    update request set urgency_rank = first.rank, urgency_at = first.at,
      urgency_next_at = case when rest.is_left then clock_timestamp() else urgency_next_at end
    from first, rest
    where request.id in (
      select id from standing where is_ours and (is_elsewhere or rest.is_left))
  $$;

  create function place_opened_turns() returns trigger language plpgsql as $$
  begin
    perform place_turn(run_id, turn) from opened
      where run_id is not null and turn is not null group by run_id, turn;
    return null;
  end $$;
  create trigger request_opened_in_turn after insert on request referencing new table as opened
    for each statement execute function place_opened_turns();
`
