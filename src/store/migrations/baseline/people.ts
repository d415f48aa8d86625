/** People, their teams, sessions, keys and passkeys. */
export const people = `
  create table person (
    id uuid primary key,
    email text not null unique check (email = lower(email)),
    name text not null,
    disabled_at timestamptz,
    created_at timestamptz not null default clock_timestamp(),
    seal text
  );

  -- constraints and index have the name that the table had first
  create table membership (
    team text not null,
    person_id uuid not null constraint team_member_person_id_fkey references person(id),
    until timestamptz,
    seal text,
    constraint team_member_pkey primary key (team, person_id)
  );
  create index team_member_of_person on membership (person_id);

  create view team_member as
    select team, person_id from membership
    where until is null or until > statement_timestamp();

  create table session (
    token_hash text primary key,
    person_id uuid not null references person(id),
    csrf_token text not null,
    channel text not null,
    created_at timestamptz not null default clock_timestamp(),
    last_seen_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    id uuid not null unique,
    device text not null,
    proof_hash text,
    seal text
  );
  create index session_of_person on session (person_id);

  create table sign_in_link (
    token_hash text primary key,
    person_id uuid not null references person(id),
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    used_at timestamptz,
    mailed boolean not null default false,
    proof_hash text,
    seal text
  );
  -- a link by mail: those that went before it
  create index sign_in_link_mailed on sign_in_link (person_id, created_at) where mailed;

  create table sign_in_flow (
    state_hash text primary key,
    -- of what only the browser that began has, in a cookie
    browser_hash text not null,
    return_to text not null,
    expires_at timestamptz not null,
    proof_hash text
  );

  create table identity (
    issuer text not null,
    subject text not null,
    person_id uuid not null references person(id),
    -- as the provider last said; it decides nothing
    email text not null,
    groups text[] not null,
    told_at timestamptz not null default clock_timestamp(),
    created_at timestamptz not null default clock_timestamp(),
    seal text,
    primary key (issuer, subject),
    unique (person_id, issuer)
  );

  create table api_key (
    id text primary key,
    name text not null,
    owner_id uuid not null references person(id),
    secret_hash text not null,
    scopes text[] not null,
    created_at timestamptz not null default clock_timestamp(),
    last_used_at timestamptz,
    revoked_at timestamptz,
    expires_at timestamptz,
    rotated_at timestamptz,
    previous_hash text,
    previous_until timestamptz,
    proposed_by uuid references person(id),
    seal text,
    check ((previous_hash is null) = (previous_until is null))
  );

  create table api_key_proposal (
    id uuid primary key,
    name text not null,
    owner_id uuid not null references person(id),
    proposed_by uuid not null references person(id),
    scopes text[] not null,
    key_expires_at timestamptz,
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null
  );
  create index api_key_proposal_of_owner on api_key_proposal (owner_id);

  create table credential (
    id uuid primary key,
    person_id uuid not null references person(id),
    webauthn_id text not null unique,
    public_key text not null,
    counter bigint not null,
    transports text[] not null,
    name text not null,
    synced boolean not null,
    registered_at timestamptz not null default clock_timestamp(),
    last_used_at timestamptz,
    confirmed_at timestamptz,
    confirmed_by uuid references person(id) check (confirmed_by <> person_id),
    removed_at timestamptz,
    seal text,
    check ((confirmed_at is null) = (confirmed_by is null))
  );
  -- a person's credentials, and the list of everybody's, newest first
  create index credential_of_person on credential (person_id) where removed_at is null;
  create index credential_newest on credential (registered_at desc, id desc) where removed_at is null;

  create table passkey_challenge (
    challenge text primary key,
    purpose text not null check (purpose in ('register', 'sign_in', 'decide')),
    session_hash text references session(token_hash) on delete cascade,
    statement text,
    salt text,
    expires_at timestamptz not null,
    check ((session_hash is null) = (purpose = 'sign_in')),
    check ((statement is null) = (purpose <> 'decide'))
  );
  -- sweeping what nobody answered
  create index passkey_challenge_expires on passkey_challenge (expires_at);
  -- a session that ends takes its challenges along
  create index passkey_challenge_of_session on passkey_challenge (session_hash);

  create table refused_attempt (
    key text primary key,
    -- hash of who tried
    actor text not null,
    -- the event that was told
    entry jsonb not null,
    repeated integer not null default 0,
    until timestamptz not null
  );
  create index refused_attempt_of_actor on refused_attempt (actor);
  create index refused_attempt_over on refused_attempt (until);

  create table absence (
    person_id uuid primary key references person(id),
    until timestamptz not null,
    note text
  );
`
