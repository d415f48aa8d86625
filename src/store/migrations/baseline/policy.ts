/** Versions of policy and workers, their activation, pins of MCP servers, monthly budgets. */
export const policy = `
  create table policy_version (
    digest text primary key,
    document jsonb not null,
    created_at timestamptz not null default clock_timestamp()
  );

  create table policy_activation (
    sequence integer primary key,
    digest text not null references policy_version(digest),
    statement text not null,
    signature text not null,
    key_id text not null,
    actor jsonb not null,
    note text,
    activated_at timestamptz not null default clock_timestamp()
  );

  create table policy_proposal (
    id uuid primary key,
    digest text not null references policy_version(digest),
    previous_digest text not null references policy_version(digest),
    proposed_by uuid not null references person(id),
    note text,
    statement text not null,
    signature text not null,
    key_id text not null,
    state text not null default 'open'
      check (state in ('open', 'activated', 'cancelled', 'superseded', 'expired')),
    proposed_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    ended_at timestamptz,
    ended_by uuid references person(id)
  );
  -- at most one waits
  create unique index policy_proposal_open on policy_proposal (state) where state = 'open';

  create table worker_version (
    digest text primary key,
    name text not null,
    definition text not null,
    script text
  );

  create table mcp_pin (
    activation integer not null references policy_activation(sequence),
    worker text not null,
    server text not null,
    -- how the server is reached
    server_hash text not null,
    definitions_hash text not null references content(hash),
    pinned_at timestamptz not null default clock_timestamp(),
    -- when a listing was first seen that says something else
    changed_at timestamptz,
    statement text not null,
    signature text not null,
    key_id text not null,
    -- what was said when a listing was first seen that says something else
    changed_hash text references content(hash),
    primary key (activation, worker, server)
  );

  create table monthly_budget (
    worker text primary key,
    cost_usd double precision not null check (cost_usd > 0)
  );
`
