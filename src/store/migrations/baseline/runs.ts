/** Runs with their turns and messages, and schedules. */
export const runs = `
  create table run (
    id uuid primary key,
    root_run_id uuid not null,
    parent_run_id uuid references run(id),
    parent_call_id uuid,
    worker text not null,
    worker_digest text not null references worker_version(digest),
    policy_digest text not null references policy_version(digest),
    mode text not null check (mode in ('prompt', 'strict', 'approve_all')),
    state text not null default 'running'
      check (state in ('running', 'waiting_for_approval', 'waiting_for_input', 'completed', 'failed', 'cancelled')),
    input_digest text not null references content(hash),
    title text not null,
    started_by uuid references person(id),
    api_key_id text references api_key(id),
    workflow_id text not null unique,
    task_queue text not null,
    turn integer not null default 0,
    failure jsonb,
    output text,
    end_reason text,
    pending_requests integer not null default 0,
    epoch integer not null,
    created_at timestamptz not null default clock_timestamp(),
    ended_at timestamptz,
    signature text not null,
    key_id text not null,
    attachments jsonb,
    number bigint not null generated always as identity,
    rest_for_seconds integer check (rest_for_seconds > 0),
    rest text check (rest in ('answered', 'stopped', 'limit', 'budget', 'model_failed')),
    rests_until timestamptz,
    forked_from uuid references run(id),
    forked_after_turn integer,
    budget jsonb,
    start_request_id uuid,
    workspace text not null default 'default',
    started_from text
  );
  -- list of runs, newest first
  create index run_newest on run (created_at desc, id desc);
  create index run_of_starter on run (started_by, created_at desc, id desc);
  create index run_of_root on run (root_run_id);
  create index run_of_parent on run (parent_run_id) where parent_run_id is not null;
  -- reconciler: runs that should have a workflow
  create index run_not_ended on run (id) where ended_at is null;
  -- list of runs: of a worker, and what a key started
  create index run_of_worker on run (worker, created_at desc, id desc);
  create index run_of_key on run (api_key_id) where api_key_id is not null;
  -- runs that ended long ago; one that has not costs nothing here
  create index run_ended on run (ended_at, id) where ended_at is not null;
  -- lists of runs: ends that are rare
  create index run_ended_early on run (state, created_at desc, id desc) where state in ('failed', 'cancelled');
  -- a run by its number
  create unique index run_by_number on run (number);
  -- conversations whose rest is over
  create index run_resting on run (rests_until) where rests_until is not null and ended_at is null;
  create index run_forks on run (forked_from) where forked_from is not null;
  create index run_search on run using gin ((title || e'\\n' || worker) gin_trgm_ops);
  -- the last run of a schedule or trigger
  create index run_started_from on run (started_from, created_at desc) where started_from is not null;

  create table run_lineage (
    run_id uuid not null references run(id),
    ancestor_id uuid not null references run(id),
    depth smallint not null,
    primary key (run_id, ancestor_id)
  );
  create index run_lineage_below on run_lineage (ancestor_id);

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

  create table turn_attempt (
    run_id uuid not null references run(id),
    turn integer not null,
    attempt integer not null,
    started_at timestamptz not null default clock_timestamp(),
    finished_at timestamptz,
    outcome text,
    input_tokens bigint,
    output_tokens bigint,
    cached_input_tokens bigint,
    cost_usd double precision,
    prompt_bytes bigint,
    primary key (run_id, turn, attempt)
  );
  -- what a month has cost so far
  create index turn_attempt_cost on turn_attempt (started_at) include (run_id, cost_usd)
    where cost_usd is not null;

  -- The transcript: one row a message; its body is in content. A tool result lives on its tool_call.
  create table message (
    id uuid primary key,
    run_id uuid not null references run(id),
    sequence integer not null,
    turn integer,
    role text not null check (role in ('user', 'assistant')),
    author jsonb,
    content_hash text not null references content(hash),
    created_at timestamptz not null default clock_timestamp(),
    unique (run_id, sequence)
  );
  create unique index message_of_turn on message (run_id, turn) where role = 'assistant';
  -- closeRun and takeTurn: messages a turn has not read yet
  create index message_unread on message (run_id) where role = 'user' and turn is null;

  create table cleared_run (
    run_id uuid primary key references run(id),
    -- as it was written: transcripts: 90d
    rule text not null,
    cleared_at timestamptz not null default clock_timestamp()
  );

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

  create table live_text (
    run_id uuid not null references run(id),
    turn integer not null,
    attempt integer not null,
    -- how many UTF-16 units of the attempt's text come before
    start integer not null check (start >= 0),
    -- a JSON string: a model's text may hold what a text column cannot
    text text not null,
    primary key (run_id, turn, attempt, start)
  );
`
