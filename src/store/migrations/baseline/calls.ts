/** Calls of tools and what they left: output, files, changes. */
export const calls = `
  create table tool_call (
    id uuid primary key,
    run_id uuid not null references run(id),
    turn integer not null,
    position integer not null,
    tool_call_id text not null,
    tool text not null,
    input_hash text not null references content(hash),
    digest text,
    verdict text check (verdict in ('preApproved', 'ask', 'blocked', 'error')),
    rule jsonb,
    policy_digest text,
    read_only boolean not null default false,
    manual boolean not null default false,
    grant_id uuid,
    facts jsonb,
    request_id uuid,
    judged_times smallint not null default 0,
    result_type text check (result_type in ('output', 'error', 'denied', 'blocked', 'expired', 'cancelled', 'unknown')),
    result_text_hash text references content(hash),
    result_output_hash text references content(hash),
    finished_at timestamptz,
    unique (run_id, turn, position)
  );

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

  create table live_output (
    call_id uuid not null references tool_call(id),
    stream text not null check (stream in ('stdout', 'stderr')),
    attempt integer not null,
    -- how many bytes were written before those that are here
    skipped integer not null check (skipped >= 0),
    bytes bytea not null check (octet_length(bytes) <= 65536),
    primary key (call_id, stream)
  );

  create table result_file (
    call_id uuid not null references tool_call(id),
    position integer not null check (position > 0),
    hash text not null references content(hash),
    media_type text not null,
    bytes integer not null check (bytes >= 0),
    primary key (call_id, position)
  );

  -- streams of a command that were stored whole: their hashes are in the call's output, which
  -- no query reads
  create table kept_stream (
    call_id uuid not null references tool_call(id),
    hash text not null references content(hash),
    primary key (call_id, hash)
  );

  create table file_change (
    -- the order in which the changes were stored
    id bigint generated always as identity primary key,
    run_id uuid not null references run(id),
    call_id uuid not null references tool_call(id),
    attempt integer not null,
    position integer not null check (position > 0),
    path text not null,
    -- of a move: where the file was
    from_path text,
    -- no hash: no file is there
    before_hash text,
    after_hash text,
    -- six bytes for each line; null: no text, or too large
    before_lines bytea,
    after_lines bytea,
    unique (call_id, attempt, position),
    check (before_hash is not null or before_lines is null),
    check (after_hash is not null or after_lines is null)
  );
  create index file_change_of_run on file_change (run_id, id);
`
