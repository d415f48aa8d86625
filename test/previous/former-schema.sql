SET check_function_bodies = false;
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE FUNCTION public.leave_unsequenced() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      insert into audit_unsequenced (event_id) select id from added;
      return null;
    end $$;
CREATE FUNCTION public.other_teams(routing jsonb, team text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
        select array_agg(distinct name #>> '{}')
        from jsonb_path_query(routing, '$.quorum.any[*][*].*[*] ? (@.type() == "string")') as name
        where name #>> '{}' <> team
      $_$;
CREATE FUNCTION public.place_opened_turns() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      perform place_turn(run_id, turn) from opened
        where run_id is not null and turn is not null group by run_id, turn;
      return null;
    end $$;
CREATE FUNCTION public.place_request() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.place_turn(of_run uuid, of_turn integer) RETURNS void
    LANGUAGE sql
    AS $$
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
CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      raise exception 'the audit trail is append-only';
    end $$;
CREATE FUNCTION public.urgency_at(state text, created_at timestamp with time zone) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
        select (case when state = 'pending' then 1000000 else -1000000 end
          * extract(epoch from created_at))::bigint
      $$;
CREATE FUNCTION public.urgency_next_at(expires_at timestamp with time zone, at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
        select case when expires_at < at + interval '1 hour' then null
          when expires_at < at + interval '4 hours' then expires_at - interval '1 hour'
          when expires_at < at + interval '24 hours' then expires_at - interval '4 hours'
          else expires_at - interval '24 hours' end
      $$;
CREATE FUNCTION public.urgency_rank(risk text, expires_at timestamp with time zone, at timestamp with time zone) RETURNS smallint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
        select (3 * (case when expires_at < at + interval '1 hour' then 0
            when expires_at < at + interval '4 hours' then 1
            when expires_at < at + interval '24 hours' then 2 else 3 end)
          + case risk when 'high' then 0 when 'medium' then 1 else 2 end)::smallint
      $$;
CREATE TABLE public.absence (
    person_id uuid NOT NULL,
    until timestamp with time zone NOT NULL,
    note text
);
CREATE TABLE public.api_key (
    id text NOT NULL,
    name text NOT NULL,
    owner_id uuid NOT NULL,
    secret_hash text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    expires_at timestamp with time zone,
    rotated_at timestamp with time zone,
    previous_hash text,
    previous_until timestamp with time zone,
    proposed_by uuid,
    seal text,
    CONSTRAINT api_key_check CHECK (((previous_hash IS NULL) = (previous_until IS NULL)))
);
CREATE TABLE public.api_key_proposal (
    id uuid NOT NULL,
    name text NOT NULL,
    owner_id uuid NOT NULL,
    proposed_by uuid NOT NULL,
    scopes text[] NOT NULL,
    key_expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.approval_grant (
    id uuid NOT NULL,
    root_run_id uuid NOT NULL,
    tool text NOT NULL,
    scope text NOT NULL,
    digest text NOT NULL,
    path text,
    queue text NOT NULL,
    team text NOT NULL,
    granted_by uuid NOT NULL,
    request_id uuid NOT NULL,
    uses_allowed integer,
    uses integer DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    revoked_by uuid,
    ended_at timestamp with time zone,
    statement text NOT NULL,
    signature text NOT NULL,
    key_id text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.audit_checkpoint (
    size bigint NOT NULL,
    note text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.audit_cosignature (
    size bigint NOT NULL,
    witness text NOT NULL,
    line text NOT NULL,
    cosigned_at timestamp with time zone NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.audit_event (
    id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    type text NOT NULL,
    actor_type text NOT NULL,
    actor_id text,
    run_id uuid,
    request_id uuid,
    call_id uuid,
    sequence integer,
    document text NOT NULL
);
CREATE TABLE public.audit_leaf (
    index bigint NOT NULL,
    event_id uuid NOT NULL
);
CREATE TABLE public.audit_tile (
    level smallint NOT NULL,
    index bigint NOT NULL,
    root bytea NOT NULL,
    hashes bytea NOT NULL
);
ALTER TABLE ONLY public.audit_tile ALTER COLUMN hashes SET STORAGE EXTERNAL;
CREATE TABLE public.audit_unsequenced (
    place bigint NOT NULL,
    event_id uuid NOT NULL
);
ALTER TABLE public.audit_unsequenced ALTER COLUMN place ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_unsequenced_place_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.audit_witness (
    witness text NOT NULL,
    name text NOT NULL,
    leased_until timestamp with time zone,
    next_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    problem text,
    contradicted_at timestamp with time zone
);
CREATE TABLE public.claim (
    request_id uuid NOT NULL,
    person_id uuid NOT NULL,
    claimed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    lease_until timestamp with time zone NOT NULL
);
CREATE TABLE public.cleared_run (
    run_id uuid NOT NULL,
    rule text NOT NULL,
    cleared_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.comment (
    id uuid NOT NULL,
    request_id uuid NOT NULL,
    person_id uuid NOT NULL,
    text_hash text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    anchor jsonb
);
CREATE TABLE public.content (
    hash text NOT NULL,
    encoding text NOT NULL,
    size integer NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT content_encoding_check CHECK ((encoding = ANY (ARRAY['identity'::text, 'zstd'::text, 'removed'::text])))
);
ALTER TABLE ONLY public.content ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE TABLE public.credential (
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    webauthn_id text NOT NULL,
    public_key text NOT NULL,
    counter bigint NOT NULL,
    transports text[] NOT NULL,
    name text NOT NULL,
    synced boolean NOT NULL,
    registered_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_used_at timestamp with time zone,
    confirmed_at timestamp with time zone,
    confirmed_by uuid,
    removed_at timestamp with time zone,
    seal text,
    CONSTRAINT credential_check CHECK ((confirmed_by <> person_id)),
    CONSTRAINT credential_check1 CHECK (((confirmed_at IS NULL) = (confirmed_by IS NULL)))
);
CREATE TABLE public.decision (
    id uuid NOT NULL,
    request_id uuid NOT NULL,
    revision integer NOT NULL,
    person_id uuid NOT NULL,
    decision text NOT NULL,
    digest text NOT NULL,
    scope text,
    denied_then text,
    grant_bounds jsonb,
    reason_hash text,
    self_approved boolean DEFAULT false NOT NULL,
    edited boolean DEFAULT false NOT NULL,
    batch_decision_id uuid,
    channel text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    credential_id uuid,
    seal text,
    CONSTRAINT decision_decision_check CHECK ((decision = ANY (ARRAY['approve'::text, 'deny'::text])))
);
CREATE TABLE public.delivery (
    id uuid NOT NULL,
    endpoint text NOT NULL,
    event_id uuid NOT NULL,
    type text NOT NULL,
    request_id uuid,
    body text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_status integer,
    last_error text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    ended_at timestamp with time zone,
    recipient text DEFAULT ''::text NOT NULL,
    CONSTRAINT delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text])))
);
CREATE TABLE public.endpoint (
    name text NOT NULL,
    told_until bigint NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.erased_content (
    hash text NOT NULL,
    by_id uuid NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.erased_request (
    request_id uuid NOT NULL,
    by_id uuid NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    contents jsonb NOT NULL
);
CREATE TABLE public.event (
    id uuid NOT NULL,
    sequence bigint,
    type text NOT NULL,
    subject jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.execution (
    call_id uuid NOT NULL,
    attempt integer NOT NULL,
    state text NOT NULL,
    reason text,
    request_id uuid,
    permit_id uuid,
    grant_id uuid,
    executed_digest text,
    executor text,
    exit_code integer,
    output_hash text,
    detail jsonb,
    settled_by uuid,
    settled_then text,
    epoch integer NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    CONSTRAINT execution_state_check CHECK ((state = ANY (ARRAY['not_started'::text, 'started'::text, 'succeeded'::text, 'failed'::text, 'refused'::text, 'unknown'::text])))
);
CREATE TABLE public.external_request (
    request_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    external_id text NOT NULL,
    api_key_id text NOT NULL,
    on_behalf_of uuid,
    worker text,
    verdict text NOT NULL,
    body_hash text NOT NULL,
    claim_hash text,
    metadata jsonb,
    consumed_by text,
    consumed_at timestamp with time zone,
    outcome text,
    outcome_summary_hash text,
    outcome_at timestamp with time zone,
    callback_url text,
    callback_secret text,
    seal text,
    origin_hash text,
    origin_proved boolean,
    CONSTRAINT external_request_check CHECK (((callback_url IS NULL) = (callback_secret IS NULL))),
    CONSTRAINT external_request_outcome_check CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'unknown'::text]))),
    CONSTRAINT external_request_verdict_check CHECK ((verdict = ANY (ARRAY['ask'::text, 'preApproved'::text])))
);
CREATE TABLE public.file_change (
    id bigint NOT NULL,
    run_id uuid NOT NULL,
    call_id uuid NOT NULL,
    attempt integer NOT NULL,
    "position" integer NOT NULL,
    path text NOT NULL,
    from_path text,
    before_hash text,
    after_hash text,
    before_lines bytea,
    after_lines bytea,
    CONSTRAINT file_change_check CHECK (((before_hash IS NOT NULL) OR (before_lines IS NULL))),
    CONSTRAINT file_change_check1 CHECK (((after_hash IS NOT NULL) OR (after_lines IS NULL))),
    CONSTRAINT file_change_position_check CHECK (("position" > 0))
);
ALTER TABLE public.file_change ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.file_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.gateway_call (
    request_id uuid NOT NULL,
    task_id text NOT NULL,
    owner_id uuid NOT NULL,
    server text NOT NULL,
    call_key text NOT NULL,
    client_call_id text,
    task_queue text NOT NULL,
    by_task boolean DEFAULT false NOT NULL,
    wanted_at timestamp with time zone,
    left_at timestamp with time zone,
    told_at timestamp with time zone,
    refusal text,
    refusal_reason text,
    result_hash text,
    outcome_check_id uuid,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.idempotency (
    principal text NOT NULL,
    key text NOT NULL,
    route text NOT NULL,
    body_hash text NOT NULL,
    status integer NOT NULL,
    response jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.identity (
    issuer text NOT NULL,
    subject text NOT NULL,
    person_id uuid NOT NULL,
    email text NOT NULL,
    groups text[] NOT NULL,
    told_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    seal text
);
CREATE TABLE public.installation (
    id smallint DEFAULT 1 NOT NULL,
    namespace_id text,
    epoch integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    restored_at timestamp with time zone,
    restored_epoch integer DEFAULT 1 NOT NULL,
    CONSTRAINT installation_id_check CHECK ((id = 1))
);
CREATE TABLE public.installation_key (
    kind text NOT NULL,
    key_id text NOT NULL,
    since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    retired_at timestamp with time zone,
    vkey text,
    handover text,
    CONSTRAINT installation_key_kind_check CHECK ((kind = ANY (ARRAY['signing'::text, 'log'::text])))
);
CREATE TABLE public.kept_stream (
    call_id uuid NOT NULL,
    hash text NOT NULL
);
CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.live_output (
    call_id uuid NOT NULL,
    stream text NOT NULL,
    attempt integer NOT NULL,
    skipped integer NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT live_output_bytes_check CHECK ((octet_length(bytes) <= 65536)),
    CONSTRAINT live_output_skipped_check CHECK ((skipped >= 0)),
    CONSTRAINT live_output_stream_check CHECK ((stream = ANY (ARRAY['stdout'::text, 'stderr'::text])))
);
CREATE TABLE public.live_text (
    run_id uuid NOT NULL,
    turn integer NOT NULL,
    attempt integer NOT NULL,
    start integer NOT NULL,
    text text NOT NULL,
    CONSTRAINT live_text_start_check CHECK ((start >= 0))
);
CREATE TABLE public.mail_choice (
    person_id uuid NOT NULL,
    choice text NOT NULL,
    ended boolean NOT NULL,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT mail_choice_choice_check CHECK ((choice = ANY (ARRAY['atOnce'::text, 'digest'::text, 'nothing'::text])))
);
CREATE TABLE public.mail_digest (
    person_id uuid NOT NULL,
    told_until timestamp with time zone NOT NULL
);
CREATE TABLE public.mail_expiring (
    id boolean DEFAULT true NOT NULL,
    told_until timestamp with time zone NOT NULL,
    CONSTRAINT mail_expiring_id_check CHECK (id)
);
CREATE TABLE public.mail_news (
    person_id uuid NOT NULL,
    request_id uuid NOT NULL
);
CREATE TABLE public.manual_call (
    call_id uuid NOT NULL,
    run_id uuid NOT NULL,
    invoked_by uuid NOT NULL,
    after_turn integer NOT NULL,
    message_id uuid,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.mcp_pin (
    activation integer NOT NULL,
    worker text NOT NULL,
    server text NOT NULL,
    server_hash text NOT NULL,
    definitions_hash text NOT NULL,
    pinned_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    changed_at timestamp with time zone,
    statement text NOT NULL,
    signature text NOT NULL,
    key_id text NOT NULL,
    changed_hash text
);
CREATE TABLE public.membership (
    team text NOT NULL,
    person_id uuid NOT NULL,
    until timestamp with time zone,
    seal text
);
CREATE TABLE public.message (
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    sequence integer NOT NULL,
    turn integer,
    role text NOT NULL,
    author jsonb,
    content_hash text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT message_role_check CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text])))
);
CREATE TABLE public.monthly_budget (
    worker text NOT NULL,
    cost_usd double precision NOT NULL,
    CONSTRAINT monthly_budget_cost_usd_check CHECK ((cost_usd > (0)::double precision))
);
CREATE TABLE public.outbox (
    id bigint NOT NULL,
    run_id uuid,
    kind text NOT NULL,
    payload jsonb NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    leased_until timestamp with time zone,
    lease_owner text,
    last_error text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    delivered_at timestamp with time zone,
    undeliverable_at timestamp with time zone
);
ALTER TABLE public.outbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.passkey_challenge (
    challenge text NOT NULL,
    purpose text NOT NULL,
    session_hash text,
    statement text,
    salt text,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT passkey_challenge_check CHECK (((session_hash IS NULL) = (purpose = 'sign_in'::text))),
    CONSTRAINT passkey_challenge_check1 CHECK (((statement IS NULL) = (purpose <> 'decide'::text))),
    CONSTRAINT passkey_challenge_purpose_check CHECK ((purpose = ANY (ARRAY['register'::text, 'sign_in'::text, 'decide'::text])))
);
CREATE TABLE public.permit (
    id uuid NOT NULL,
    request_id uuid NOT NULL,
    revision integer NOT NULL,
    attempt integer NOT NULL,
    run_id uuid,
    call_id uuid,
    state text DEFAULT 'live'::text NOT NULL,
    statement text NOT NULL,
    signature text NOT NULL,
    key_id text NOT NULL,
    epoch integer NOT NULL,
    issued_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT permit_state_check CHECK ((state = ANY (ARRAY['live'::text, 'consumed'::text, 'lapsed'::text, 'revoked'::text])))
);
CREATE TABLE public.person (
    id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    disabled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    seal text,
    CONSTRAINT person_email_check CHECK ((email = lower(email)))
);
CREATE TABLE public.policy_activation (
    sequence integer NOT NULL,
    digest text NOT NULL,
    statement text NOT NULL,
    signature text NOT NULL,
    key_id text NOT NULL,
    actor jsonb NOT NULL,
    note text,
    activated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.policy_proposal (
    id uuid NOT NULL,
    digest text NOT NULL,
    previous_digest text NOT NULL,
    proposed_by uuid NOT NULL,
    note text,
    statement text NOT NULL,
    signature text NOT NULL,
    key_id text NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    proposed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    ended_by uuid,
    CONSTRAINT policy_proposal_state_check CHECK ((state = ANY (ARRAY['open'::text, 'activated'::text, 'cancelled'::text, 'superseded'::text, 'expired'::text])))
);
CREATE TABLE public.policy_version (
    digest text NOT NULL,
    document jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.push_choice (
    person_id uuid NOT NULL,
    requests text NOT NULL,
    ended boolean NOT NULL,
    quiet_from text,
    quiet_to text,
    time_zone text,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT push_choice_check CHECK ((((quiet_from IS NULL) = (quiet_to IS NULL)) AND ((quiet_from IS NULL) = (time_zone IS NULL)))),
    CONSTRAINT push_choice_requests_check CHECK ((requests = ANY (ARRAY['all'::text, 'high'::text, 'none'::text])))
);
CREATE TABLE public.push_subscription (
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    session_id uuid NOT NULL,
    endpoint text NOT NULL,
    p256dh text NOT NULL,
    auth text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    seal text
);
CREATE TABLE public.refused_attempt (
    key text NOT NULL,
    actor text NOT NULL,
    entry jsonb NOT NULL,
    repeated integer DEFAULT 0 NOT NULL,
    until timestamp with time zone NOT NULL
);
CREATE TABLE public.released_content (
    hash text NOT NULL
);
CREATE TABLE public.removed_content (
    hash text NOT NULL,
    encoding text NOT NULL,
    bytes bytea NOT NULL,
    removed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
ALTER TABLE ONLY public.removed_content ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE TABLE public.request (
    id uuid NOT NULL,
    number bigint NOT NULL,
    kind text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    queue text NOT NULL,
    team text NOT NULL,
    risk text NOT NULL,
    tool text NOT NULL,
    title text NOT NULL,
    digest text NOT NULL,
    policy_digest text NOT NULL,
    rule jsonb NOT NULL,
    routing jsonb NOT NULL,
    agent_reason_hash text,
    run_id uuid,
    root_run_id uuid,
    call_id uuid,
    turn integer,
    "position" integer,
    attempt integer DEFAULT 1 NOT NULL,
    previous uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    superseded_by uuid,
    outcome_of uuid,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    denied_then text,
    cancel_reason text,
    epoch integer NOT NULL,
    next_step_at timestamp with time zone,
    steps_taken timestamp with time zone[],
    other_teams text[] GENERATED ALWAYS AS (public.other_teams(routing, team)) STORED,
    seal text,
    principals_digest text,
    urgency_rank smallint DEFAULT 12 NOT NULL,
    urgency_at bigint DEFAULT 0 NOT NULL,
    urgency_next_at timestamp with time zone,
    CONSTRAINT request_kind_check CHECK ((kind = ANY (ARRAY['tool_call'::text, 'start'::text, 'attachment'::text, 'question'::text, 'outcome_check'::text, 'external'::text]))),
    CONSTRAINT request_risk_check CHECK ((risk = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text]))),
    CONSTRAINT request_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text, 'expired'::text, 'cancelled'::text])))
);
ALTER TABLE ONLY public.request ALTER COLUMN urgency_rank SET STATISTICS 0;
CREATE TABLE public.request_file (
    request_id uuid NOT NULL,
    hash text NOT NULL
);
CREATE TABLE public.request_handover (
    request_id uuid NOT NULL,
    to_id uuid NOT NULL,
    by_id uuid NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.request_nudge (
    request_id uuid NOT NULL,
    by_id uuid NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
ALTER TABLE public.request ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.request_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.request_principal (
    request_id uuid NOT NULL,
    person_id uuid NOT NULL,
    why text NOT NULL
);
CREATE TABLE public.request_revision (
    request_id uuid NOT NULL,
    revision integer NOT NULL,
    title text NOT NULL,
    digest text NOT NULL,
    input_hash text NOT NULL,
    facts jsonb NOT NULL,
    presentation_hash text NOT NULL,
    presentation_digest text NOT NULL,
    content_hash text NOT NULL,
    content_type text NOT NULL,
    editor_id uuid,
    reason_hash text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    seal text,
    effect text,
    cues jsonb
);
CREATE TABLE public.request_snooze (
    request_id uuid NOT NULL,
    person_id uuid NOT NULL,
    until timestamp with time zone NOT NULL
);
CREATE TABLE public.result_file (
    call_id uuid NOT NULL,
    "position" integer NOT NULL,
    hash text NOT NULL,
    media_type text NOT NULL,
    bytes integer NOT NULL,
    CONSTRAINT result_file_bytes_check CHECK ((bytes >= 0)),
    CONSTRAINT result_file_position_check CHECK (("position" > 0))
);
CREATE TABLE public.run (
    id uuid NOT NULL,
    root_run_id uuid NOT NULL,
    parent_run_id uuid,
    parent_call_id uuid,
    worker text NOT NULL,
    worker_digest text NOT NULL,
    policy_digest text NOT NULL,
    mode text NOT NULL,
    state text DEFAULT 'running'::text NOT NULL,
    input_digest text NOT NULL,
    title text NOT NULL,
    started_by uuid,
    api_key_id text,
    workflow_id text NOT NULL,
    task_queue text NOT NULL,
    turn integer DEFAULT 0 NOT NULL,
    failure jsonb,
    output text,
    end_reason text,
    pending_requests integer DEFAULT 0 NOT NULL,
    epoch integer NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    ended_at timestamp with time zone,
    signature text NOT NULL,
    key_id text NOT NULL,
    attachments jsonb,
    number bigint NOT NULL,
    rest_for_seconds integer,
    rest text,
    rests_until timestamp with time zone,
    forked_from uuid,
    forked_after_turn integer,
    budget jsonb,
    start_request_id uuid,
    workspace text DEFAULT 'default'::text NOT NULL,
    started_from text,
    CONSTRAINT run_mode_check CHECK ((mode = ANY (ARRAY['prompt'::text, 'strict'::text, 'approve_all'::text]))),
    CONSTRAINT run_rest_check CHECK ((rest = ANY (ARRAY['answered'::text, 'stopped'::text, 'limit'::text, 'budget'::text, 'model_failed'::text]))),
    CONSTRAINT run_rest_for_seconds_check CHECK ((rest_for_seconds > 0)),
    CONSTRAINT run_state_check CHECK ((state = ANY (ARRAY['running'::text, 'waiting_for_approval'::text, 'waiting_for_input'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
);
CREATE TABLE public.run_lineage (
    run_id uuid NOT NULL,
    ancestor_id uuid NOT NULL,
    depth smallint NOT NULL
);
ALTER TABLE public.run ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.run_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.run_prefix (
    run_id uuid NOT NULL,
    from_run_id uuid NOT NULL,
    first_turn integer NOT NULL,
    last_turn integer NOT NULL
);
CREATE TABLE public.run_principal (
    run_id uuid NOT NULL,
    person_id uuid NOT NULL
);
CREATE TABLE public.run_window (
    run_id uuid NOT NULL,
    number integer NOT NULL,
    kind text NOT NULL,
    at_turn integer NOT NULL,
    from_turn integer NOT NULL,
    through_turn integer NOT NULL,
    through_position integer NOT NULL,
    results_over integer NOT NULL,
    text text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT run_window_check CHECK (((kind = 'compaction'::text) = (text IS NOT NULL))),
    CONSTRAINT run_window_kind_check CHECK ((kind = ANY (ARRAY['elision'::text, 'compaction'::text])))
);
CREATE TABLE public.schedule_pause (
    schedule text NOT NULL,
    by_id uuid NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.schedule_time (
    schedule text NOT NULL,
    at timestamp with time zone NOT NULL,
    noted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    outcome text,
    run_id uuid
);
CREATE TABLE public.session (
    token_hash text NOT NULL,
    person_id uuid NOT NULL,
    csrf_token text NOT NULL,
    channel text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    device text NOT NULL,
    proof_hash text,
    seal text
);
CREATE TABLE public.sign_in_flow (
    state_hash text NOT NULL,
    browser_hash text NOT NULL,
    return_to text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    proof_hash text
);
CREATE TABLE public.sign_in_link (
    token_hash text NOT NULL,
    person_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    mailed boolean DEFAULT false NOT NULL,
    proof_hash text,
    seal text
);
CREATE TABLE public.slack_heard (
    signature text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.slack_link (
    id uuid NOT NULL,
    team text NOT NULL,
    user_id text NOT NULL,
    person_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    seal text
);
CREATE TABLE public.slack_link_code (
    code_hash text NOT NULL,
    team text NOT NULL,
    user_id text NOT NULL,
    email text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.slack_message (
    request_id uuid NOT NULL,
    channel text NOT NULL,
    ts text NOT NULL,
    shown text NOT NULL
);
CREATE VIEW public.team_member AS
 SELECT membership.team,
    membership.person_id
   FROM public.membership
  WHERE ((membership.until IS NULL) OR (membership.until > statement_timestamp()));
CREATE TABLE public.tool_call (
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    turn integer NOT NULL,
    "position" integer NOT NULL,
    tool_call_id text NOT NULL,
    tool text NOT NULL,
    input_hash text NOT NULL,
    digest text,
    verdict text,
    rule jsonb,
    policy_digest text,
    read_only boolean DEFAULT false NOT NULL,
    manual boolean DEFAULT false NOT NULL,
    grant_id uuid,
    facts jsonb,
    request_id uuid,
    judged_times smallint DEFAULT 0 NOT NULL,
    result_type text,
    result_text_hash text,
    result_output_hash text,
    finished_at timestamp with time zone,
    CONSTRAINT tool_call_result_type_check CHECK ((result_type = ANY (ARRAY['output'::text, 'error'::text, 'denied'::text, 'blocked'::text, 'expired'::text, 'cancelled'::text, 'unknown'::text]))),
    CONSTRAINT tool_call_verdict_check CHECK ((verdict = ANY (ARRAY['preApproved'::text, 'ask'::text, 'blocked'::text, 'error'::text])))
);
CREATE TABLE public.turn_attempt (
    run_id uuid NOT NULL,
    turn integer NOT NULL,
    attempt integer NOT NULL,
    started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    finished_at timestamp with time zone,
    outcome text,
    input_tokens bigint,
    output_tokens bigint,
    cached_input_tokens bigint,
    cost_usd double precision,
    prompt_bytes bigint
);
CREATE TABLE public.worker_version (
    digest text NOT NULL,
    name text NOT NULL,
    definition text NOT NULL,
    script text
);
INSERT INTO public.endpoint VALUES ('callback:programs', -1, '2026-11-25 09:27:53.082435+00');
INSERT INTO public.installation VALUES (1, NULL, 1, '2026-11-25 09:27:52.928004+00', NULL, 1);
INSERT INTO public.kysely_migration VALUES ('20261121T000000Z-initial', '2026-11-25T09:27:52.981Z');
INSERT INTO public.kysely_migration VALUES ('20261122T033000Z-manual-calls', '2026-11-25T09:27:52.985Z');
INSERT INTO public.kysely_migration VALUES ('20261122T033100Z-policy-proposal', '2026-11-25T09:27:52.988Z');
INSERT INTO public.kysely_migration VALUES ('20261122T034500Z-permit-of-call', '2026-11-25T09:27:52.990Z');
INSERT INTO public.kysely_migration VALUES ('20261122T035500Z-mcp-pins', '2026-11-25T09:27:52.992Z');
INSERT INTO public.kysely_migration VALUES ('20261122T072200Z-signed-pins', '2026-11-25T09:27:52.995Z');
INSERT INTO public.kysely_migration VALUES ('20261122T073000Z-live-output', '2026-11-25T09:27:52.998Z');
INSERT INTO public.kysely_migration VALUES ('20261122T073500Z-run-attachments', '2026-11-25T09:27:53.000Z');
INSERT INTO public.kysely_migration VALUES ('20261122T103100Z-waiting-steps', '2026-11-25T09:27:53.001Z');
INSERT INTO public.kysely_migration VALUES ('20261122T103500Z-external-requests', '2026-11-25T09:27:53.007Z');
INSERT INTO public.kysely_migration VALUES ('20261122T103500Z-result-files', '2026-11-25T09:27:53.009Z');
INSERT INTO public.kysely_migration VALUES ('20261122T104000Z-audit-log', '2026-11-25T09:27:53.016Z');
INSERT INTO public.kysely_migration VALUES ('20261122T111000Z-webhooks', '2026-11-25T09:27:53.021Z');
INSERT INTO public.kysely_migration VALUES ('20261122T140000Z-session-ids', '2026-11-25T09:27:53.024Z');
INSERT INTO public.kysely_migration VALUES ('20261122T140100Z-delivery-recipients', '2026-11-25T09:27:53.025Z');
INSERT INTO public.kysely_migration VALUES ('20261122T140200Z-dead-deliveries', '2026-11-25T09:27:53.026Z');
INSERT INTO public.kysely_migration VALUES ('20261122T140500Z-restored', '2026-11-25T09:27:53.027Z');
INSERT INTO public.kysely_migration VALUES ('20261122T140600Z-passkeys', '2026-11-25T09:27:53.032Z');
INSERT INTO public.kysely_migration VALUES ('20261122T141000Z-installation-keys', '2026-11-25T09:27:53.034Z');
INSERT INTO public.kysely_migration VALUES ('20261122T141200Z-mailed-links', '2026-11-25T09:27:53.035Z');
INSERT INTO public.kysely_migration VALUES ('20261122T141300Z-mail-choices', '2026-11-25T09:27:53.039Z');
INSERT INTO public.kysely_migration VALUES ('20261122T141500Z-identities', '2026-11-25T09:27:53.043Z');
INSERT INTO public.kysely_migration VALUES ('20261122T141500Z-lists', '2026-11-25T09:27:53.057Z');
INSERT INTO public.kysely_migration VALUES ('20261122T141500Z-slack', '2026-11-25T09:27:53.074Z');
INSERT INTO public.kysely_migration VALUES ('20261122T142100Z-retention', '2026-11-25T09:27:53.080Z');
INSERT INTO public.kysely_migration VALUES ('20261122T142500Z-key-rotation', '2026-11-25T09:27:53.081Z');
INSERT INTO public.kysely_migration VALUES ('20261122T143500Z-callbacks', '2026-11-25T09:27:53.083Z');
INSERT INTO public.kysely_migration VALUES ('20261122T144000Z-erasure', '2026-11-25T09:27:53.084Z');
INSERT INTO public.kysely_migration VALUES ('20261122T180500Z-ended-lists', '2026-11-25T09:27:53.086Z');
INSERT INTO public.kysely_migration VALUES ('20261122T180600Z-erased-requests', '2026-11-25T09:27:53.092Z');
INSERT INTO public.kysely_migration VALUES ('20261122T181100Z-witnesses', '2026-11-25T09:27:53.096Z');
INSERT INTO public.kysely_migration VALUES ('20261122T183500Z-trail-of-type', '2026-11-25T09:27:53.097Z');
INSERT INTO public.kysely_migration VALUES ('20261122T213000Z-restored-epoch', '2026-11-25T09:27:53.098Z');
INSERT INTO public.kysely_migration VALUES ('20261123T081000Z-key-proposals', '2026-11-25T09:27:53.101Z');
INSERT INTO public.kysely_migration VALUES ('20261123T083000Z-sealed-rows', '2026-11-25T09:27:53.102Z');
INSERT INTO public.kysely_migration VALUES ('20261123T083000Z-session-proof', '2026-11-25T09:27:53.103Z');
INSERT INTO public.kysely_migration VALUES ('20261123T083500Z-refused-attempts', '2026-11-25T09:27:53.106Z');
INSERT INTO public.kysely_migration VALUES ('20261123T084500Z-sealed-credentials', '2026-11-25T09:27:53.107Z');
INSERT INTO public.kysely_migration VALUES ('20261123T100000Z-alike', '2026-11-25T09:27:53.108Z');
INSERT INTO public.kysely_migration VALUES ('20261123T123000Z-external-origins', '2026-11-25T09:27:53.109Z');
INSERT INTO public.kysely_migration VALUES ('20261124T011500Z-people-of-runs', '2026-11-25T09:27:53.110Z');
INSERT INTO public.kysely_migration VALUES ('20261125T010500Z-conv-conversations', '2026-11-25T09:27:53.116Z');
INSERT INTO public.kysely_migration VALUES ('20261125T010700Z-mcp-gateway-calls', '2026-11-25T09:27:53.120Z');
INSERT INTO public.kysely_migration VALUES ('20261125T011500Z-facts-headline', '2026-11-25T09:27:53.121Z');
INSERT INTO public.kysely_migration VALUES ('20261125T011500Z-live-text', '2026-11-25T09:27:53.123Z');
INSERT INTO public.kysely_migration VALUES ('20261125T011500Z-pocket-push', '2026-11-25T09:27:53.126Z');
INSERT INTO public.kysely_migration VALUES ('20261125T013500Z-triage-run-search', '2026-11-25T09:27:53.127Z');
INSERT INTO public.kysely_migration VALUES ('20261125T015500Z-conv-budgets', '2026-11-25T09:27:53.128Z');
INSERT INTO public.kysely_migration VALUES ('20261125T015500Z-pocket-rules', '2026-11-25T09:27:53.129Z');
INSERT INTO public.kysely_migration VALUES ('20261125T021000Z-triage-verbs', '2026-11-25T09:27:53.133Z');
INSERT INTO public.kysely_migration VALUES ('20261125T021500Z-pocket-quiet', '2026-11-25T09:27:53.135Z');
INSERT INTO public.kysely_migration VALUES ('20261125T021500Z-stream-usage', '2026-11-25T09:27:53.136Z');
INSERT INTO public.kysely_migration VALUES ('20261125T044500Z-starts-approval', '2026-11-25T09:27:53.137Z');
INSERT INTO public.kysely_migration VALUES ('20261125T044500Z-window-steps', '2026-11-25T09:27:53.139Z');
INSERT INTO public.kysely_migration VALUES ('20261125T045500Z-git-workspaces', '2026-11-25T09:27:53.140Z');
INSERT INTO public.kysely_migration VALUES ('20261125T050000Z-chat-file-changes', '2026-11-25T09:27:53.144Z');
INSERT INTO public.kysely_migration VALUES ('20261125T050500Z-inbox-urgency', '2026-11-25T09:27:53.149Z');
INSERT INTO public.kysely_migration VALUES ('20261125T051000Z-starts-by-nobody', '2026-11-25T09:27:53.150Z');
INSERT INTO public.kysely_migration VALUES ('20261125T053000Z-starts-schedules', '2026-11-25T09:27:53.153Z');
INSERT INTO public.kysely_migration VALUES ('20261125T055000Z-starts-budgets', '2026-11-25T09:27:53.156Z');
INSERT INTO public.kysely_migration_lock VALUES ('migration_lock', 0);
SELECT pg_catalog.setval('public.audit_unsequenced_place_seq', 1, false);
SELECT pg_catalog.setval('public.file_change_id_seq', 1, false);
SELECT pg_catalog.setval('public.outbox_id_seq', 1, false);
SELECT pg_catalog.setval('public.request_number_seq', 1, false);
SELECT pg_catalog.setval('public.run_number_seq', 1, false);
ALTER TABLE ONLY public.absence
    ADD CONSTRAINT absence_pkey PRIMARY KEY (person_id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.api_key_proposal
    ADD CONSTRAINT api_key_proposal_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.approval_grant
    ADD CONSTRAINT approval_grant_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_checkpoint
    ADD CONSTRAINT audit_checkpoint_pkey PRIMARY KEY (size);
ALTER TABLE ONLY public.audit_cosignature
    ADD CONSTRAINT audit_cosignature_pkey PRIMARY KEY (size, witness);
ALTER TABLE ONLY public.audit_event
    ADD CONSTRAINT audit_event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_leaf
    ADD CONSTRAINT audit_leaf_event_id_key UNIQUE (event_id);
ALTER TABLE ONLY public.audit_leaf
    ADD CONSTRAINT audit_leaf_pkey PRIMARY KEY (index);
ALTER TABLE ONLY public.audit_tile
    ADD CONSTRAINT audit_tile_pkey PRIMARY KEY (level, index);
ALTER TABLE ONLY public.audit_unsequenced
    ADD CONSTRAINT audit_unsequenced_pkey PRIMARY KEY (place);
ALTER TABLE ONLY public.audit_witness
    ADD CONSTRAINT audit_witness_pkey PRIMARY KEY (witness);
ALTER TABLE ONLY public.claim
    ADD CONSTRAINT claim_pkey PRIMARY KEY (request_id);
ALTER TABLE ONLY public.cleared_run
    ADD CONSTRAINT cleared_run_pkey PRIMARY KEY (run_id);
ALTER TABLE ONLY public.comment
    ADD CONSTRAINT comment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.content
    ADD CONSTRAINT content_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.credential
    ADD CONSTRAINT credential_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.credential
    ADD CONSTRAINT credential_webauthn_id_key UNIQUE (webauthn_id);
ALTER TABLE ONLY public.decision
    ADD CONSTRAINT decision_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.decision
    ADD CONSTRAINT decision_request_id_revision_person_id_key UNIQUE (request_id, revision, person_id);
ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_endpoint_event_id_recipient_key UNIQUE (endpoint, event_id, recipient);
ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.endpoint
    ADD CONSTRAINT endpoint_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.erased_content
    ADD CONSTRAINT erased_content_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.erased_request
    ADD CONSTRAINT erased_request_pkey PRIMARY KEY (request_id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_sequence_key UNIQUE (sequence);
ALTER TABLE ONLY public.execution
    ADD CONSTRAINT execution_pkey PRIMARY KEY (call_id, attempt);
ALTER TABLE ONLY public.external_request
    ADD CONSTRAINT external_request_owner_id_external_id_key UNIQUE (owner_id, external_id);
ALTER TABLE ONLY public.external_request
    ADD CONSTRAINT external_request_pkey PRIMARY KEY (request_id);
ALTER TABLE ONLY public.file_change
    ADD CONSTRAINT file_change_call_id_attempt_position_key UNIQUE (call_id, attempt, "position");
ALTER TABLE ONLY public.file_change
    ADD CONSTRAINT file_change_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.gateway_call
    ADD CONSTRAINT gateway_call_pkey PRIMARY KEY (request_id);
ALTER TABLE ONLY public.gateway_call
    ADD CONSTRAINT gateway_call_task_id_key UNIQUE (task_id);
ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (principal, key);
ALTER TABLE ONLY public.identity
    ADD CONSTRAINT identity_person_id_issuer_key UNIQUE (person_id, issuer);
ALTER TABLE ONLY public.identity
    ADD CONSTRAINT identity_pkey PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.installation_key
    ADD CONSTRAINT installation_key_pkey PRIMARY KEY (kind, key_id);
ALTER TABLE ONLY public.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kept_stream
    ADD CONSTRAINT kept_stream_pkey PRIMARY KEY (call_id, hash);
ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.live_output
    ADD CONSTRAINT live_output_pkey PRIMARY KEY (call_id, stream);
ALTER TABLE ONLY public.live_text
    ADD CONSTRAINT live_text_pkey PRIMARY KEY (run_id, turn, attempt, start);
ALTER TABLE ONLY public.mail_choice
    ADD CONSTRAINT mail_choice_pkey PRIMARY KEY (person_id);
ALTER TABLE ONLY public.mail_digest
    ADD CONSTRAINT mail_digest_pkey PRIMARY KEY (person_id);
ALTER TABLE ONLY public.mail_expiring
    ADD CONSTRAINT mail_expiring_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mail_news
    ADD CONSTRAINT mail_news_pkey PRIMARY KEY (person_id, request_id);
ALTER TABLE ONLY public.manual_call
    ADD CONSTRAINT manual_call_message_id_key UNIQUE (message_id);
ALTER TABLE ONLY public.manual_call
    ADD CONSTRAINT manual_call_pkey PRIMARY KEY (call_id);
ALTER TABLE ONLY public.mcp_pin
    ADD CONSTRAINT mcp_pin_pkey PRIMARY KEY (activation, worker, server);
ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_run_id_sequence_key UNIQUE (run_id, sequence);
ALTER TABLE ONLY public.monthly_budget
    ADD CONSTRAINT monthly_budget_pkey PRIMARY KEY (worker);
ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.passkey_challenge
    ADD CONSTRAINT passkey_challenge_pkey PRIMARY KEY (challenge);
ALTER TABLE ONLY public.permit
    ADD CONSTRAINT permit_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.permit
    ADD CONSTRAINT permit_request_id_revision_key UNIQUE (request_id, revision);
ALTER TABLE ONLY public.person
    ADD CONSTRAINT person_email_key UNIQUE (email);
ALTER TABLE ONLY public.person
    ADD CONSTRAINT person_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.policy_activation
    ADD CONSTRAINT policy_activation_pkey PRIMARY KEY (sequence);
ALTER TABLE ONLY public.policy_proposal
    ADD CONSTRAINT policy_proposal_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.policy_version
    ADD CONSTRAINT policy_version_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.push_choice
    ADD CONSTRAINT push_choice_pkey PRIMARY KEY (person_id);
ALTER TABLE ONLY public.push_subscription
    ADD CONSTRAINT push_subscription_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.refused_attempt
    ADD CONSTRAINT refused_attempt_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.released_content
    ADD CONSTRAINT released_content_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.removed_content
    ADD CONSTRAINT removed_content_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.request_file
    ADD CONSTRAINT request_file_pkey PRIMARY KEY (request_id, hash);
ALTER TABLE ONLY public.request_handover
    ADD CONSTRAINT request_handover_pkey PRIMARY KEY (request_id);
ALTER TABLE ONLY public.request_nudge
    ADD CONSTRAINT request_nudge_pkey PRIMARY KEY (request_id);
ALTER TABLE ONLY public.request
    ADD CONSTRAINT request_number_key UNIQUE (number);
ALTER TABLE ONLY public.request
    ADD CONSTRAINT request_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.request_principal
    ADD CONSTRAINT request_principal_pkey PRIMARY KEY (request_id, person_id, why);
ALTER TABLE ONLY public.request_revision
    ADD CONSTRAINT request_revision_pkey PRIMARY KEY (request_id, revision);
ALTER TABLE ONLY public.request_snooze
    ADD CONSTRAINT request_snooze_pkey PRIMARY KEY (request_id, person_id);
ALTER TABLE ONLY public.result_file
    ADD CONSTRAINT result_file_pkey PRIMARY KEY (call_id, "position");
ALTER TABLE ONLY public.run_lineage
    ADD CONSTRAINT run_lineage_pkey PRIMARY KEY (run_id, ancestor_id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.run_prefix
    ADD CONSTRAINT run_prefix_pkey PRIMARY KEY (run_id, first_turn);
ALTER TABLE ONLY public.run_principal
    ADD CONSTRAINT run_principal_pkey PRIMARY KEY (run_id, person_id);
ALTER TABLE ONLY public.run_window
    ADD CONSTRAINT run_window_pkey PRIMARY KEY (run_id, number);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_workflow_id_key UNIQUE (workflow_id);
ALTER TABLE ONLY public.schedule_pause
    ADD CONSTRAINT schedule_pause_pkey PRIMARY KEY (schedule);
ALTER TABLE ONLY public.schedule_time
    ADD CONSTRAINT schedule_time_pkey PRIMARY KEY (schedule, at);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_id_key UNIQUE (id);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.sign_in_flow
    ADD CONSTRAINT sign_in_flow_pkey PRIMARY KEY (state_hash);
ALTER TABLE ONLY public.sign_in_link
    ADD CONSTRAINT sign_in_link_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.slack_heard
    ADD CONSTRAINT slack_heard_pkey PRIMARY KEY (signature);
ALTER TABLE ONLY public.slack_link_code
    ADD CONSTRAINT slack_link_code_pkey PRIMARY KEY (code_hash);
ALTER TABLE ONLY public.slack_link
    ADD CONSTRAINT slack_link_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.slack_link
    ADD CONSTRAINT slack_link_team_person_id_key UNIQUE (team, person_id);
ALTER TABLE ONLY public.slack_link
    ADD CONSTRAINT slack_link_team_user_id_key UNIQUE (team, user_id);
ALTER TABLE ONLY public.slack_message
    ADD CONSTRAINT slack_message_pkey PRIMARY KEY (request_id);
ALTER TABLE ONLY public.membership
    ADD CONSTRAINT team_member_pkey PRIMARY KEY (team, person_id);
ALTER TABLE ONLY public.tool_call
    ADD CONSTRAINT tool_call_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tool_call
    ADD CONSTRAINT tool_call_run_id_turn_position_key UNIQUE (run_id, turn, "position");
ALTER TABLE ONLY public.turn_attempt
    ADD CONSTRAINT turn_attempt_pkey PRIMARY KEY (run_id, turn, attempt);
ALTER TABLE ONLY public.worker_version
    ADD CONSTRAINT worker_version_pkey PRIMARY KEY (digest);
CREATE INDEX api_key_proposal_of_owner ON public.api_key_proposal USING btree (owner_id);
CREATE INDEX approval_grant_of_root ON public.approval_grant USING btree (root_run_id, tool);
CREATE INDEX audit_cosignature_witness ON public.audit_cosignature USING btree (witness, size);
CREATE UNIQUE INDEX audit_event_chain ON public.audit_event USING btree (request_id, sequence) WHERE (request_id IS NOT NULL);
CREATE INDEX audit_event_newest ON public.audit_event USING btree (at DESC, id DESC);
CREATE INDEX audit_event_of_actor ON public.audit_event USING btree (actor_id, at DESC, id DESC);
CREATE INDEX audit_event_of_people ON public.audit_event USING btree (run_id) WHERE (type = ANY (ARRAY['run.started'::text, 'run.messaged'::text, 'decision.recorded'::text]));
CREATE INDEX audit_event_of_rare_kind ON public.audit_event USING btree (actor_type, at DESC, id DESC) WHERE (actor_type = ANY (ARRAY['machine'::text, 'timer'::text, 'system'::text]));
CREATE INDEX audit_event_of_run ON public.audit_event USING btree (run_id, at DESC, id DESC) WHERE (run_id IS NOT NULL);
CREATE INDEX audit_event_of_type ON public.audit_event USING btree (type, at DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX comment_of_request ON public.comment USING btree (request_id, created_at);
CREATE INDEX credential_newest ON public.credential USING btree (registered_at DESC, id DESC) WHERE (removed_at IS NULL);
CREATE INDEX credential_of_person ON public.credential USING btree (person_id) WHERE (removed_at IS NULL);
CREATE INDEX decision_of_person ON public.decision USING btree (person_id, at DESC);
CREATE INDEX delivery_dead ON public.delivery USING btree (endpoint) WHERE (state = 'dead'::text);
CREATE INDEX delivery_due ON public.delivery USING btree (endpoint, next_attempt_at) WHERE (state = 'pending'::text);
CREATE INDEX delivery_newest ON public.delivery USING btree (created_at DESC, id DESC);
CREATE INDEX delivery_of_endpoint ON public.delivery USING btree (endpoint, created_at DESC, id DESC);
CREATE INDEX delivery_of_recipient ON public.delivery USING btree (recipient, created_at DESC, id DESC) WHERE (recipient <> ''::text);
CREATE INDEX delivery_of_state ON public.delivery USING btree (state, created_at DESC, id DESC);
CREATE INDEX event_unsequenced ON public.event USING btree (created_at, id) WHERE (sequence IS NULL);
CREATE INDEX execution_of_digest ON public.execution USING btree (executed_digest) WHERE (executed_digest IS NOT NULL);
CREATE INDEX execution_open ON public.execution USING btree (call_id) WHERE (state = ANY (ARRAY['started'::text, 'unknown'::text]));
CREATE INDEX file_change_of_run ON public.file_change USING btree (run_id, id);
CREATE INDEX gateway_call_again ON public.gateway_call USING btree (call_key, created_at DESC);
CREATE INDEX gateway_call_result ON public.gateway_call USING btree (result_hash) WHERE (result_hash IS NOT NULL);
CREATE INDEX idempotency_oldest ON public.idempotency USING btree (created_at);
CREATE INDEX manual_call_of_run ON public.manual_call USING btree (run_id, created_at);
CREATE UNIQUE INDEX message_of_turn ON public.message USING btree (run_id, turn) WHERE (role = 'assistant'::text);
CREATE INDEX message_unread ON public.message USING btree (run_id) WHERE ((role = 'user'::text) AND (turn IS NULL));
CREATE INDEX outbox_open ON public.outbox USING btree (run_id, id) WHERE ((delivered_at IS NULL) AND (undeliverable_at IS NULL));
CREATE INDEX passkey_challenge_expires ON public.passkey_challenge USING btree (expires_at);
CREATE INDEX passkey_challenge_of_session ON public.passkey_challenge USING btree (session_hash);
CREATE UNIQUE INDEX permit_live_per_call ON public.permit USING btree (call_id) WHERE (state = 'live'::text);
CREATE INDEX permit_of_call ON public.permit USING btree (call_id, issued_at DESC, id DESC) WHERE (call_id IS NOT NULL);
CREATE INDEX permit_of_run ON public.permit USING btree (run_id) WHERE (state = 'live'::text);
CREATE UNIQUE INDEX policy_proposal_open ON public.policy_proposal USING btree (state) WHERE (state = 'open'::text);
CREATE INDEX push_subscription_of_person ON public.push_subscription USING btree (person_id);
CREATE INDEX push_subscription_of_session ON public.push_subscription USING btree (session_id);
CREATE INDEX refused_attempt_of_actor ON public.refused_attempt USING btree (actor);
CREATE INDEX refused_attempt_over ON public.refused_attempt USING btree (until);
CREATE INDEX request_by_expiry ON public.request USING btree (expires_at, id);
CREATE INDEX request_by_risk ON public.request USING btree ((
CASE risk
    WHEN 'high'::text THEN 1
    WHEN 'medium'::text THEN 2
    ELSE 3
END), expires_at, id);
ALTER INDEX public.request_by_risk ALTER COLUMN 1 SET STATISTICS 0;
CREATE INDEX request_by_urgency ON public.request USING btree (urgency_rank, urgency_at);
CREATE INDEX request_ended ON public.request USING btree (state, created_at DESC, id DESC) WHERE (state <> 'pending'::text);
CREATE INDEX request_external_pending ON public.request USING btree (id) WHERE ((state = 'pending'::text) AND (kind = 'external'::text));
CREATE INDEX request_newest ON public.request USING btree (created_at DESC, id DESC);
CREATE INDEX request_of_call ON public.request USING btree (call_id);
CREATE INDEX request_of_digest ON public.request USING btree (digest, created_at DESC);
CREATE INDEX request_of_other_teams ON public.request USING gin (other_teams) WHERE (other_teams IS NOT NULL);
CREATE INDEX request_of_rule ON public.request USING btree (((rule ->> 'id'::text)), created_at DESC);
CREATE INDEX request_of_run ON public.request USING btree (run_id, created_at, id);
CREATE INDEX request_of_team ON public.request USING btree (team, created_at DESC, id DESC);
CREATE INDEX request_pending_all_newest ON public.request USING btree (created_at, id) WHERE (state = 'pending'::text);
CREATE INDEX request_pending_all_risk ON public.request USING btree ((
CASE risk
    WHEN 'high'::text THEN 1
    WHEN 'medium'::text THEN 2
    ELSE 3
END), expires_at, id) WHERE (state = 'pending'::text);
ALTER INDEX public.request_pending_all_risk ALTER COLUMN 1 SET STATISTICS 0;
CREATE INDEX request_pending_all_urgency ON public.request USING btree (urgency_rank, urgency_at) WHERE (state = 'pending'::text);
CREATE INDEX request_pending_expiry ON public.request USING btree (queue, expires_at, id) WHERE (state = 'pending'::text);
CREATE INDEX request_pending_newest ON public.request USING btree (queue, created_at, id) WHERE (state = 'pending'::text);
CREATE INDEX request_pending_of_turn ON public.request USING btree (run_id, turn) WHERE (state = 'pending'::text);
CREATE INDEX request_pending_urgency ON public.request USING btree (queue, urgency_rank, urgency_at) WHERE (state = 'pending'::text);
CREATE INDEX request_search ON public.request USING gin ((((title || '
'::text) || tool)) public.gin_trgm_ops);
CREATE INDEX request_snooze_of_person ON public.request_snooze USING btree (person_id, until);
CREATE INDEX request_to_expire ON public.request USING btree (expires_at, id) WHERE (state = 'pending'::text);
CREATE INDEX request_urgency_due ON public.request USING btree (urgency_next_at) WHERE ((state = 'pending'::text) AND (urgency_next_at IS NOT NULL));
CREATE INDEX revision_of_target ON public.request_revision USING btree (COALESCE(((((facts -> 'detail'::text) -> 'programs'::text) -> 0) ->> 'path'::text), (((facts -> 'bases'::text) -> 0) ->> 'path'::text)), created_at DESC);
CREATE UNIQUE INDEX run_by_number ON public.run USING btree (number);
CREATE INDEX run_ended ON public.run USING btree (ended_at, id) WHERE (ended_at IS NOT NULL);
CREATE INDEX run_ended_early ON public.run USING btree (state, created_at DESC, id DESC) WHERE (state = ANY (ARRAY['failed'::text, 'cancelled'::text]));
CREATE INDEX run_forks ON public.run USING btree (forked_from) WHERE (forked_from IS NOT NULL);
CREATE INDEX run_lineage_below ON public.run_lineage USING btree (ancestor_id);
CREATE INDEX run_newest ON public.run USING btree (created_at DESC, id DESC);
CREATE INDEX run_not_ended ON public.run USING btree (id) WHERE (ended_at IS NULL);
CREATE INDEX run_of_key ON public.run USING btree (api_key_id) WHERE (api_key_id IS NOT NULL);
CREATE INDEX run_of_parent ON public.run USING btree (parent_run_id) WHERE (parent_run_id IS NOT NULL);
CREATE INDEX run_of_root ON public.run USING btree (root_run_id);
CREATE INDEX run_of_starter ON public.run USING btree (started_by, created_at DESC, id DESC);
CREATE INDEX run_of_worker ON public.run USING btree (worker, created_at DESC, id DESC);
CREATE INDEX run_prefix_from ON public.run_prefix USING btree (from_run_id);
CREATE INDEX run_resting ON public.run USING btree (rests_until) WHERE ((rests_until IS NOT NULL) AND (ended_at IS NULL));
CREATE INDEX run_search ON public.run USING gin ((((title || '
'::text) || worker)) public.gin_trgm_ops);
CREATE INDEX run_started_from ON public.run USING btree (started_from, created_at DESC) WHERE (started_from IS NOT NULL);
CREATE INDEX schedule_time_due ON public.schedule_time USING btree (at) WHERE (outcome IS NULL);
CREATE INDEX session_of_person ON public.session USING btree (person_id);
CREATE INDEX sign_in_link_mailed ON public.sign_in_link USING btree (person_id, created_at) WHERE mailed;
CREATE INDEX team_member_of_person ON public.membership USING btree (person_id);
CREATE INDEX turn_attempt_cost ON public.turn_attempt USING btree (started_at) INCLUDE (run_id, cost_usd) WHERE (cost_usd IS NOT NULL);
CREATE TRIGGER audit_checkpoint_append_only BEFORE DELETE OR UPDATE ON public.audit_checkpoint FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
ALTER TABLE public.audit_checkpoint ENABLE ALWAYS TRIGGER audit_checkpoint_append_only;
CREATE TRIGGER audit_checkpoint_no_truncate BEFORE TRUNCATE ON public.audit_checkpoint FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
ALTER TABLE public.audit_checkpoint ENABLE ALWAYS TRIGGER audit_checkpoint_no_truncate;
CREATE TRIGGER audit_cosignature_append_only BEFORE DELETE OR UPDATE ON public.audit_cosignature FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
ALTER TABLE public.audit_cosignature ENABLE ALWAYS TRIGGER audit_cosignature_append_only;
CREATE TRIGGER audit_cosignature_no_truncate BEFORE TRUNCATE ON public.audit_cosignature FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
ALTER TABLE public.audit_cosignature ENABLE ALWAYS TRIGGER audit_cosignature_no_truncate;
CREATE TRIGGER audit_event_append_only BEFORE DELETE OR UPDATE ON public.audit_event FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
ALTER TABLE public.audit_event ENABLE ALWAYS TRIGGER audit_event_append_only;
CREATE TRIGGER audit_event_no_truncate BEFORE TRUNCATE ON public.audit_event FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
ALTER TABLE public.audit_event ENABLE ALWAYS TRIGGER audit_event_no_truncate;
CREATE TRIGGER audit_event_unsequenced AFTER INSERT ON public.audit_event REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.leave_unsequenced();
ALTER TABLE public.audit_event ENABLE ALWAYS TRIGGER audit_event_unsequenced;
CREATE TRIGGER audit_leaf_append_only BEFORE DELETE OR UPDATE ON public.audit_leaf FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
ALTER TABLE public.audit_leaf ENABLE ALWAYS TRIGGER audit_leaf_append_only;
CREATE TRIGGER audit_leaf_no_truncate BEFORE TRUNCATE ON public.audit_leaf FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
ALTER TABLE public.audit_leaf ENABLE ALWAYS TRIGGER audit_leaf_no_truncate;
CREATE TRIGGER audit_tile_append_only BEFORE DELETE OR UPDATE ON public.audit_tile FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
ALTER TABLE public.audit_tile ENABLE ALWAYS TRIGGER audit_tile_append_only;
CREATE TRIGGER audit_tile_no_truncate BEFORE TRUNCATE ON public.audit_tile FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
ALTER TABLE public.audit_tile ENABLE ALWAYS TRIGGER audit_tile_no_truncate;
CREATE TRIGGER request_opened_in_turn AFTER INSERT ON public.request REFERENCING NEW TABLE AS opened FOR EACH STATEMENT EXECUTE FUNCTION public.place_opened_turns();
CREATE TRIGGER request_placed BEFORE INSERT OR UPDATE OF state, risk, expires_at, created_at ON public.request FOR EACH ROW EXECUTE FUNCTION public.place_request();
ALTER TABLE ONLY public.absence
    ADD CONSTRAINT absence_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.api_key_proposal
    ADD CONSTRAINT api_key_proposal_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.api_key_proposal
    ADD CONSTRAINT api_key_proposal_proposed_by_fkey FOREIGN KEY (proposed_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_proposed_by_fkey FOREIGN KEY (proposed_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.approval_grant
    ADD CONSTRAINT approval_grant_granted_by_fkey FOREIGN KEY (granted_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.approval_grant
    ADD CONSTRAINT approval_grant_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id);
ALTER TABLE ONLY public.approval_grant
    ADD CONSTRAINT approval_grant_revoked_by_fkey FOREIGN KEY (revoked_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.approval_grant
    ADD CONSTRAINT approval_grant_root_run_id_fkey FOREIGN KEY (root_run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.claim
    ADD CONSTRAINT claim_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.claim
    ADD CONSTRAINT claim_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id);
ALTER TABLE ONLY public.cleared_run
    ADD CONSTRAINT cleared_run_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.comment
    ADD CONSTRAINT comment_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.comment
    ADD CONSTRAINT comment_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id);
ALTER TABLE ONLY public.comment
    ADD CONSTRAINT comment_text_hash_fkey FOREIGN KEY (text_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.credential
    ADD CONSTRAINT credential_confirmed_by_fkey FOREIGN KEY (confirmed_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.credential
    ADD CONSTRAINT credential_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.decision
    ADD CONSTRAINT decision_credential_id_fkey FOREIGN KEY (credential_id) REFERENCES public.credential(id);
ALTER TABLE ONLY public.decision
    ADD CONSTRAINT decision_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.decision
    ADD CONSTRAINT decision_reason_hash_fkey FOREIGN KEY (reason_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.decision
    ADD CONSTRAINT decision_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id);
ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_endpoint_fkey FOREIGN KEY (endpoint) REFERENCES public.endpoint(name);
ALTER TABLE ONLY public.erased_content
    ADD CONSTRAINT erased_content_by_id_fkey FOREIGN KEY (by_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.erased_request
    ADD CONSTRAINT erased_request_by_id_fkey FOREIGN KEY (by_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.erased_request
    ADD CONSTRAINT erased_request_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id);
ALTER TABLE ONLY public.execution
    ADD CONSTRAINT execution_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.tool_call(id);
ALTER TABLE ONLY public.execution
    ADD CONSTRAINT execution_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES public.approval_grant(id);
ALTER TABLE ONLY public.execution
    ADD CONSTRAINT execution_output_hash_fkey FOREIGN KEY (output_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.execution
    ADD CONSTRAINT execution_permit_id_fkey FOREIGN KEY (permit_id) REFERENCES public.permit(id);
ALTER TABLE ONLY public.execution
    ADD CONSTRAINT execution_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id);
ALTER TABLE ONLY public.execution
    ADD CONSTRAINT execution_settled_by_fkey FOREIGN KEY (settled_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.external_request
    ADD CONSTRAINT external_request_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_key(id);
ALTER TABLE ONLY public.external_request
    ADD CONSTRAINT external_request_claim_hash_fkey FOREIGN KEY (claim_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.external_request
    ADD CONSTRAINT external_request_consumed_by_fkey FOREIGN KEY (consumed_by) REFERENCES public.api_key(id);
ALTER TABLE ONLY public.external_request
    ADD CONSTRAINT external_request_on_behalf_of_fkey FOREIGN KEY (on_behalf_of) REFERENCES public.person(id);
ALTER TABLE ONLY public.external_request
    ADD CONSTRAINT external_request_origin_hash_fkey FOREIGN KEY (origin_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.external_request
    ADD CONSTRAINT external_request_outcome_summary_hash_fkey FOREIGN KEY (outcome_summary_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.external_request
    ADD CONSTRAINT external_request_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.external_request
    ADD CONSTRAINT external_request_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id);
ALTER TABLE ONLY public.file_change
    ADD CONSTRAINT file_change_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.tool_call(id);
ALTER TABLE ONLY public.file_change
    ADD CONSTRAINT file_change_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.gateway_call
    ADD CONSTRAINT gateway_call_outcome_check_id_fkey FOREIGN KEY (outcome_check_id) REFERENCES public.request(id);
ALTER TABLE ONLY public.gateway_call
    ADD CONSTRAINT gateway_call_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.gateway_call
    ADD CONSTRAINT gateway_call_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id);
ALTER TABLE ONLY public.gateway_call
    ADD CONSTRAINT gateway_call_result_hash_fkey FOREIGN KEY (result_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.identity
    ADD CONSTRAINT identity_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.kept_stream
    ADD CONSTRAINT kept_stream_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.tool_call(id);
ALTER TABLE ONLY public.kept_stream
    ADD CONSTRAINT kept_stream_hash_fkey FOREIGN KEY (hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.live_output
    ADD CONSTRAINT live_output_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.tool_call(id);
ALTER TABLE ONLY public.live_text
    ADD CONSTRAINT live_text_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.mail_choice
    ADD CONSTRAINT mail_choice_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.mail_digest
    ADD CONSTRAINT mail_digest_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.mail_news
    ADD CONSTRAINT mail_news_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.mail_news
    ADD CONSTRAINT mail_news_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id);
ALTER TABLE ONLY public.manual_call
    ADD CONSTRAINT manual_call_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.tool_call(id);
ALTER TABLE ONLY public.manual_call
    ADD CONSTRAINT manual_call_invoked_by_fkey FOREIGN KEY (invoked_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.manual_call
    ADD CONSTRAINT manual_call_message_id_fkey FOREIGN KEY (message_id) REFERENCES public.message(id);
ALTER TABLE ONLY public.manual_call
    ADD CONSTRAINT manual_call_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.mcp_pin
    ADD CONSTRAINT mcp_pin_activation_fkey FOREIGN KEY (activation) REFERENCES public.policy_activation(sequence);
ALTER TABLE ONLY public.mcp_pin
    ADD CONSTRAINT mcp_pin_changed_hash_fkey FOREIGN KEY (changed_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.mcp_pin
    ADD CONSTRAINT mcp_pin_definitions_hash_fkey FOREIGN KEY (definitions_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_content_hash_fkey FOREIGN KEY (content_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.passkey_challenge
    ADD CONSTRAINT passkey_challenge_session_hash_fkey FOREIGN KEY (session_hash) REFERENCES public.session(token_hash) ON DELETE CASCADE;
ALTER TABLE ONLY public.permit
    ADD CONSTRAINT permit_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.tool_call(id);
ALTER TABLE ONLY public.permit
    ADD CONSTRAINT permit_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id);
ALTER TABLE ONLY public.permit
    ADD CONSTRAINT permit_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.policy_activation
    ADD CONSTRAINT policy_activation_digest_fkey FOREIGN KEY (digest) REFERENCES public.policy_version(digest);
ALTER TABLE ONLY public.policy_proposal
    ADD CONSTRAINT policy_proposal_digest_fkey FOREIGN KEY (digest) REFERENCES public.policy_version(digest);
ALTER TABLE ONLY public.policy_proposal
    ADD CONSTRAINT policy_proposal_ended_by_fkey FOREIGN KEY (ended_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.policy_proposal
    ADD CONSTRAINT policy_proposal_previous_digest_fkey FOREIGN KEY (previous_digest) REFERENCES public.policy_version(digest);
ALTER TABLE ONLY public.policy_proposal
    ADD CONSTRAINT policy_proposal_proposed_by_fkey FOREIGN KEY (proposed_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.push_choice
    ADD CONSTRAINT push_choice_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.push_subscription
    ADD CONSTRAINT push_subscription_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.push_subscription
    ADD CONSTRAINT push_subscription_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.session(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.request
    ADD CONSTRAINT request_agent_reason_hash_fkey FOREIGN KEY (agent_reason_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.request
    ADD CONSTRAINT request_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.tool_call(id);
ALTER TABLE ONLY public.request_file
    ADD CONSTRAINT request_file_hash_fkey FOREIGN KEY (hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.request_file
    ADD CONSTRAINT request_file_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id);
ALTER TABLE ONLY public.request_handover
    ADD CONSTRAINT request_handover_by_id_fkey FOREIGN KEY (by_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.request_handover
    ADD CONSTRAINT request_handover_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.request_handover
    ADD CONSTRAINT request_handover_to_id_fkey FOREIGN KEY (to_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.request_nudge
    ADD CONSTRAINT request_nudge_by_id_fkey FOREIGN KEY (by_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.request_nudge
    ADD CONSTRAINT request_nudge_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.request_principal
    ADD CONSTRAINT request_principal_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.request_principal
    ADD CONSTRAINT request_principal_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id);
ALTER TABLE ONLY public.request_revision
    ADD CONSTRAINT request_revision_content_hash_fkey FOREIGN KEY (content_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.request_revision
    ADD CONSTRAINT request_revision_editor_id_fkey FOREIGN KEY (editor_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.request_revision
    ADD CONSTRAINT request_revision_input_hash_fkey FOREIGN KEY (input_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.request_revision
    ADD CONSTRAINT request_revision_presentation_hash_fkey FOREIGN KEY (presentation_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.request_revision
    ADD CONSTRAINT request_revision_reason_hash_fkey FOREIGN KEY (reason_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.request_revision
    ADD CONSTRAINT request_revision_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id);
ALTER TABLE ONLY public.request
    ADD CONSTRAINT request_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.request_snooze
    ADD CONSTRAINT request_snooze_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.request_snooze
    ADD CONSTRAINT request_snooze_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.result_file
    ADD CONSTRAINT result_file_call_id_fkey FOREIGN KEY (call_id) REFERENCES public.tool_call(id);
ALTER TABLE ONLY public.result_file
    ADD CONSTRAINT result_file_hash_fkey FOREIGN KEY (hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_key(id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_forked_from_fkey FOREIGN KEY (forked_from) REFERENCES public.run(id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_input_digest_fkey FOREIGN KEY (input_digest) REFERENCES public.content(hash);
ALTER TABLE ONLY public.run_lineage
    ADD CONSTRAINT run_lineage_ancestor_id_fkey FOREIGN KEY (ancestor_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.run_lineage
    ADD CONSTRAINT run_lineage_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_parent_run_id_fkey FOREIGN KEY (parent_run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_policy_digest_fkey FOREIGN KEY (policy_digest) REFERENCES public.policy_version(digest);
ALTER TABLE ONLY public.run_prefix
    ADD CONSTRAINT run_prefix_from_run_id_fkey FOREIGN KEY (from_run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.run_prefix
    ADD CONSTRAINT run_prefix_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.run_principal
    ADD CONSTRAINT run_principal_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.run_principal
    ADD CONSTRAINT run_principal_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_started_by_fkey FOREIGN KEY (started_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.run_window
    ADD CONSTRAINT run_window_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_worker_digest_fkey FOREIGN KEY (worker_digest) REFERENCES public.worker_version(digest);
ALTER TABLE ONLY public.schedule_pause
    ADD CONSTRAINT schedule_pause_by_id_fkey FOREIGN KEY (by_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.schedule_time
    ADD CONSTRAINT schedule_time_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.sign_in_link
    ADD CONSTRAINT sign_in_link_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.slack_link
    ADD CONSTRAINT slack_link_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.slack_message
    ADD CONSTRAINT slack_message_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.request(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.membership
    ADD CONSTRAINT team_member_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.tool_call
    ADD CONSTRAINT tool_call_input_hash_fkey FOREIGN KEY (input_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.tool_call
    ADD CONSTRAINT tool_call_result_output_hash_fkey FOREIGN KEY (result_output_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.tool_call
    ADD CONSTRAINT tool_call_result_text_hash_fkey FOREIGN KEY (result_text_hash) REFERENCES public.content(hash);
ALTER TABLE ONLY public.tool_call
    ADD CONSTRAINT tool_call_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.turn_attempt
    ADD CONSTRAINT turn_attempt_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.run(id);
