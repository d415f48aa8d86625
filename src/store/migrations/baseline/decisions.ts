/** Decisions, permits, grants, and executions. */
export const decisions = `
  create table decision (
    id uuid primary key,
    request_id uuid not null references request(id),
    revision integer not null,
    person_id uuid not null references person(id),
    decision text not null check (decision in ('approve', 'deny')),
    digest text not null,
    scope text,
    denied_then text,
    grant_bounds jsonb,
    reason_hash text references content(hash),
    self_approved boolean not null default false,
    edited boolean not null default false,
    batch_decision_id uuid,
    channel text not null,
    at timestamptz not null default clock_timestamp(),
    credential_id uuid references credential(id),
    seal text,
    unique (request_id, revision, person_id)
  );
  create index decision_of_person on decision (person_id, at desc);

  create table permit (
    id uuid primary key,
    request_id uuid not null references request(id),
    revision integer not null,
    attempt integer not null,
    run_id uuid references run(id),
    call_id uuid references tool_call(id),
    state text not null default 'live' check (state in ('live', 'consumed', 'lapsed', 'revoked')),
    statement text not null,
    signature text not null,
    key_id text not null,
    epoch integer not null,
    issued_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    ended_at timestamptz,
    unique (request_id, revision)
  );
  create unique index permit_live_per_call on permit (call_id) where state = 'live';
  create index permit_of_run on permit (run_id) where state = 'live';
  create index permit_of_call on permit (call_id, issued_at desc, id desc) where call_id is not null;

  create table approval_grant (
    id uuid primary key,
    root_run_id uuid not null references run(id),
    tool text not null,
    scope text not null,
    digest text not null,
    path text,
    queue text not null,
    team text not null,
    granted_by uuid not null references person(id),
    request_id uuid not null references request(id),
    uses_allowed integer,
    uses integer not null default 0,
    expires_at timestamptz,
    revoked_at timestamptz,
    revoked_by uuid references person(id),
    ended_at timestamptz,
    statement text not null,
    signature text not null,
    key_id text not null,
    created_at timestamptz not null default clock_timestamp()
  );
  create index approval_grant_of_root on approval_grant (root_run_id, tool);

  create table execution (
    call_id uuid not null references tool_call(id),
    attempt integer not null,
    state text not null check (state in ('not_started', 'started', 'succeeded', 'failed', 'refused', 'unknown')),
    reason text,
    request_id uuid references request(id),
    permit_id uuid references permit(id),
    grant_id uuid references approval_grant(id),
    executed_digest text,
    executor text,
    exit_code integer,
    output_hash text references content(hash),
    detail jsonb,
    settled_by uuid references person(id),
    settled_then text,
    epoch integer not null,
    started_at timestamptz,
    finished_at timestamptz,
    primary key (call_id, attempt)
  );
  -- reconciler and doctor: effects of which the end is not known
  create index execution_open on execution (call_id) where state in ('started', 'unknown');
  -- how often the same call was carried out
  create index execution_of_digest on execution (executed_digest) where executed_digest is not null;
`
