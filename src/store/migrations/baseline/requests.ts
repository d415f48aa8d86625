/** Requests with what they show, and where they came from. */
export const requests = `
  create function other_teams(routing jsonb, team text) returns text[]
    language sql immutable parallel safe as $$
      select array_agg(distinct name #>> '{}')
      from jsonb_path_query(routing, '$.quorum.any[*][*].*[*] ? (@.type() == "string")') as name
      where name #>> '{}' <> team
    $$;

  create table request (
    id uuid primary key,
    number bigint generated always as identity unique,
    kind text not null
      check (kind in ('tool_call', 'start', 'attachment', 'question', 'outcome_check', 'external')),
    state text not null default 'pending' check (state in ('pending', 'approved', 'denied', 'expired', 'cancelled')),
    revision integer not null default 1,
    queue text not null,
    team text not null,
    risk text not null check (risk in ('low', 'medium', 'high')),
    tool text not null,
    title text not null,
    digest text not null,
    policy_digest text not null,
    rule jsonb not null,
    routing jsonb not null,
    agent_reason_hash text references content(hash),
    run_id uuid references run(id),
    root_run_id uuid,
    call_id uuid references tool_call(id),
    turn integer,
    position integer,
    attempt integer not null default 1,
    previous uuid[] not null default '{}',
    superseded_by uuid,
    outcome_of uuid,
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    decided_at timestamptz,
    denied_then text,
    cancel_reason text,
    epoch integer not null,
    next_step_at timestamptz,
    steps_taken timestamptz[],
    -- teams beside the queue's own that the quorum names; null for most, which takes no room
    other_teams text[] generated always as (other_teams(routing, team)) stored,
    seal text,
    principals_digest text,
    urgency_rank smallint not null default 12,
    urgency_at bigint not null default 0,
    urgency_next_at timestamptz
  );
  -- queue page: what is pending in a queue, by each of its orders
  create index request_pending_newest on request (queue, created_at, id) where state = 'pending';
  create index request_pending_expiry on request (queue, expires_at, id) where state = 'pending';
  create index request_newest on request (created_at desc, id desc);
  -- inbox: what is pending in all queues, by each of its orders
  create index request_pending_all_newest on request (created_at, id) where state = 'pending';
  create index request_pending_all_risk on request
    ((case risk when 'high' then 1 when 'medium' then 2 else 3 end), expires_at, id) where state = 'pending';
  create index request_of_run on request (run_id, created_at, id);
  create index request_of_call on request (call_id);
  -- expiry sweep of the reconciler
  create index request_to_expire on request (expires_at, id) where state = 'pending';
  -- reconciler: requests that wait and should have a workflow
  create index request_external_pending on request (id) where state = 'pending' and kind = 'external';
  -- lists of requests: what goes to few, by their teams
  create index request_of_team on request (team, created_at desc, id desc);
  create index request_of_other_teams on request using gin (other_teams) where other_teams is not null;
  -- lists of requests: what ended in a state
  create index request_ended on request (state, created_at desc, id desc) where state <> 'pending';
  -- search
  create index request_search on request using gin ((title || e'\\n' || tool) gin_trgm_ops);
  -- lists of requests in any state: highest risk first, soonest expiry first
  create index request_by_risk on request
    ((case risk when 'high' then 1 when 'medium' then 2 else 3 end), expires_at, id);
  -- From statistics of three risks Postgres would expect no row after the last of them.
  alter index request_by_risk alter column 1 set statistics 0;
  alter index request_pending_all_risk alter column 1 set statistics 0;
  create index request_by_expiry on request (expires_at, id);
  -- requests of the same call, the newest first
  create index request_of_digest on request (digest, created_at desc);
  create index request_of_rule on request ((rule->>'id'), created_at desc);

  -- What was shown, per revision: an edit adds one.
  create table request_revision (
    request_id uuid not null references request(id),
    revision integer not null,
    title text not null,
    digest text not null,
    input_hash text not null references content(hash),
    facts jsonb not null,
    presentation_hash text not null references content(hash),
    presentation_digest text not null,
    content_hash text not null references content(hash),
    content_type text not null,
    editor_id uuid references person(id),
    reason_hash text references content(hash),
    created_at timestamptz not null default clock_timestamp(),
    seal text,
    effect text,
    cues jsonb,
    primary key (request_id, revision)
  );
  -- requests about the same file, or for the same program, the newest first
  create index revision_of_target on request_revision
    ((coalesce(facts->'detail'->'programs'->0->>'path', facts->'bases'->0->>'path')), created_at desc);

  -- The people behind the request, none of whom may decide it.
  create table request_principal (
    request_id uuid not null references request(id),
    person_id uuid not null references person(id),
    why text not null,
    primary key (request_id, person_id, why)
  );

  create table claim (
    request_id uuid primary key references request(id),
    person_id uuid not null references person(id),
    claimed_at timestamptz not null default clock_timestamp(),
    lease_until timestamptz not null
  );

  create table comment (
    id uuid primary key,
    request_id uuid not null references request(id),
    person_id uuid not null references person(id),
    text_hash text not null references content(hash),
    created_at timestamptz not null default clock_timestamp(),
    -- {file, side, line} of a comment on a line
    anchor jsonb
  );
  create index comment_of_request on comment (request_id, created_at);

  create table request_snooze (
    request_id uuid not null references request(id) on delete cascade,
    person_id uuid not null references person(id),
    until timestamptz not null,
    primary key (request_id, person_id)
  );
  -- what somebody has put off
  create index request_snooze_of_person on request_snooze (person_id, until);

  create table request_handover (
    request_id uuid primary key references request(id) on delete cascade,
    to_id uuid not null references person(id),
    by_id uuid not null references person(id),
    at timestamptz not null default clock_timestamp()
  );

  create table request_nudge (
    request_id uuid primary key references request(id) on delete cascade,
    by_id uuid not null references person(id),
    at timestamptz not null default clock_timestamp()
  );

  create table external_request (
    request_id uuid primary key references request(id),
    owner_id uuid not null references person(id),
    external_id text not null,
    api_key_id text not null references api_key(id),
    on_behalf_of uuid references person(id),
    worker text,
    verdict text not null check (verdict in ('ask', 'preApproved')),
    body_hash text not null,
    -- the program's own words, canonical JSON
    claim_hash text references content(hash),
    metadata jsonb,
    consumed_by text references api_key(id),
    consumed_at timestamptz,
    outcome text check (outcome in ('succeeded', 'failed', 'unknown')),
    outcome_summary_hash text references content(hash),
    outcome_at timestamptz,
    callback_url text,
    callback_secret text,
    seal text,
    origin_hash text references content(hash),
    origin_proved boolean,
    unique (owner_id, external_id),
    check ((callback_url is null) = (callback_secret is null))
  );

  create table gateway_call (
    request_id uuid primary key references request(id),
    -- names it to the client as a task; nobody can guess it
    task_id text not null unique,
    owner_id uuid not null references person(id),
    server text not null,
    -- hash of key, server, tool and arguments, and of the name that keeps equal calls apart
    call_key text not null,
    client_call_id text,
    task_queue text not null,
    -- carried out as soon as it is approved; otherwise when the caller wants it
    by_task boolean not null default false,
    wanted_at timestamptz,
    -- the caller was told that it waits, and the result
    left_at timestamptz,
    told_at timestamptz,
    refusal text,
    refusal_reason text,
    result_hash text references content(hash),
    outcome_check_id uuid references request(id),
    created_at timestamptz not null default clock_timestamp()
  );
  -- the same call made again
  create index gateway_call_again on gateway_call (call_key, created_at desc);
  -- removal of content: who refers to it
  create index gateway_call_result on gateway_call (result_hash) where result_hash is not null;

  create table erased_request (
    request_id uuid primary key references request(id),
    by_id uuid not null references person(id),
    at timestamptz not null default clock_timestamp(),
    -- [{of, revision, hash, bytes}]
    contents jsonb not null
  );

  create table request_file (
    request_id uuid not null references request(id),
    hash text not null references content(hash),
    primary key (request_id, hash)
  );
`
