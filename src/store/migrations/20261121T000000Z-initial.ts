import { sql, type Kysely } from 'kysely'

/**
 * The first schema. Each index names the query it serves. Timestamps are set by the database clock.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table installation (
      id smallint primary key default 1 check (id = 1),
      namespace_id text,
      epoch integer not null default 1,
      created_at timestamptz not null default clock_timestamp()
    );
    insert into installation default values;

    create table person (
      id uuid primary key,
      email text not null unique check (email = lower(email)),
      name text not null,
      disabled_at timestamptz,
      created_at timestamptz not null default clock_timestamp()
    );
    create table team_member (
      team text not null,
      person_id uuid not null references person(id),
      primary key (team, person_id)
    );
    create index team_member_of_person on team_member (person_id);

    create table session (
      token_hash text primary key,
      person_id uuid not null references person(id),
      csrf_token text not null,
      channel text not null,
      created_at timestamptz not null default clock_timestamp(),
      last_seen_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null
    );
    create index session_of_person on session (person_id);
    create table sign_in_link (
      token_hash text primary key,
      person_id uuid not null references person(id),
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null,
      used_at timestamptz
    );
    create table api_key (
      id text primary key,
      name text not null,
      owner_id uuid not null references person(id),
      secret_hash text not null,
      scopes text[] not null,
      created_at timestamptz not null default clock_timestamp(),
      last_used_at timestamptz,
      revoked_at timestamptz
    );

    create table content (
      hash text primary key,
      encoding text not null check (encoding in ('identity', 'zstd')),
      size integer not null,
      bytes bytea not null
    );
    alter table content alter column bytes set storage external;

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
    create table worker_version (
      digest text primary key,
      name text not null,
      definition text not null,
      script text
    );

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
      started_by uuid not null references person(id),
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
      key_id text not null
    );
    -- list of runs, newest first
    create index run_newest on run (created_at desc, id desc);
    create index run_of_starter on run (started_by, created_at desc, id desc);
    create index run_of_root on run (root_run_id);
    create index run_of_parent on run (parent_run_id) where parent_run_id is not null;
    -- reconciler: runs that should have a workflow
    create index run_not_ended on run (id) where ended_at is null;
    create table run_lineage (
      run_id uuid not null references run(id),
      ancestor_id uuid not null references run(id),
      depth smallint not null,
      primary key (run_id, ancestor_id)
    );
    create index run_lineage_below on run_lineage (ancestor_id);

    create table turn_attempt (
      run_id uuid not null references run(id),
      turn integer not null,
      attempt integer not null,
      started_at timestamptz not null default clock_timestamp(),
      finished_at timestamptz,
      outcome text,
      input_tokens bigint,
      output_tokens bigint,
      primary key (run_id, turn, attempt)
    );
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

    create table request (
      id uuid primary key,
      number bigint generated always as identity unique,
      kind text not null check (kind in ('tool_call', 'attachment', 'question', 'outcome_check', 'external')),
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
      epoch integer not null
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
      primary key (request_id, revision)
    );
    -- The people behind the request, none of whom may decide it.
    create table request_principal (
      request_id uuid not null references request(id),
      person_id uuid not null references person(id),
      why text not null,
      primary key (request_id, person_id, why)
    );
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
      created_at timestamptz not null default clock_timestamp()
    );
    create index comment_of_request on comment (request_id, created_at);

    create table outbox (
      id bigint generated always as identity primary key,
      run_id uuid,
      kind text not null,
      payload jsonb not null,
      attempts integer not null default 0,
      leased_until timestamptz,
      lease_owner text,
      last_error text,
      created_at timestamptz not null default clock_timestamp(),
      delivered_at timestamptz,
      undeliverable_at timestamptz
    );
    -- relay: the oldest undelivered row of each run
    create index outbox_open on outbox (run_id, id) where delivered_at is null and undeliverable_at is null;
    create table event (
      id uuid primary key,
      sequence bigint unique,
      type text not null,
      subject jsonb not null,
      created_at timestamptz not null default clock_timestamp()
    );
    -- the one writer of sequences
    create index event_unsequenced on event (created_at, id) where sequence is null;

    create table audit_event (
      id uuid primary key,
      at timestamptz not null,
      type text not null,
      actor_type text not null,
      actor_id text,
      run_id uuid,
      request_id uuid,
      call_id uuid,
      sequence integer,
      document text not null
    );
    create index audit_event_newest on audit_event (at desc, id desc);
    create index audit_event_of_type on audit_event (type, at desc, id desc);
    create index audit_event_of_actor on audit_event (actor_id, at desc, id desc);
    create index audit_event_of_run on audit_event (run_id, at desc, id desc) where run_id is not null;
    create unique index audit_event_chain on audit_event (request_id, sequence) where request_id is not null;

    create table idempotency (
      principal text not null,
      key text not null,
      route text not null,
      body_hash text not null,
      status integer not null,
      response jsonb not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (principal, key)
    );
  `.execute(db)

  await sql`
    create function refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception 'the audit trail is append-only';
    end $$;
    create trigger audit_event_append_only before update or delete on audit_event
      for each row execute function refuse_change();
    create trigger audit_event_no_truncate before truncate on audit_event
      for each statement execute function refuse_change();
    alter table audit_event enable always trigger audit_event_append_only;
    alter table audit_event enable always trigger audit_event_no_truncate;
  `.execute(db)
}
