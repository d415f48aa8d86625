/** Events and their deliveries: outbox, webhooks, mail, push, Slack. */
export const deliveries = `
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

  create table endpoint (
    name text primary key,
    told_until bigint not null,
    created_at timestamptz not null default clock_timestamp()
  );
  -- never told by the cursor of the stream
  insert into endpoint (name, told_until) values ('callback:programs', -1);

  create table delivery (
    id uuid primary key,
    endpoint text not null references endpoint(name),
    event_id uuid not null,
    type text not null,
    request_id uuid,
    body text not null,
    state text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
    attempts integer not null default 0,
    next_attempt_at timestamptz not null default clock_timestamp(),
    last_status integer,
    last_error text,
    created_at timestamptz not null default clock_timestamp(),
    ended_at timestamptz,
    recipient text not null default '',
    unique (endpoint, event_id, recipient)
  );
  -- relay: what is due at an endpoint
  create index delivery_due on delivery (endpoint, next_attempt_at) where state = 'pending';
  -- the list of deliveries, newest first, of a state or an endpoint
  create index delivery_newest on delivery (created_at desc, id desc);
  create index delivery_of_state on delivery (state, created_at desc, id desc);
  create index delivery_of_endpoint on delivery (endpoint, created_at desc, id desc);
  create index delivery_dead on delivery (endpoint) where state = 'dead';
  -- the callbacks of one's own programs, newest first
  create index delivery_of_recipient on delivery (recipient, created_at desc, id desc) where recipient <> '';

  -- who has no row gets what countersign.yaml says
  create table mail_choice (
    person_id uuid primary key references person(id),
    choice text not null check (choice in ('atOnce', 'digest', 'nothing')),
    ended boolean not null,
    changed_at timestamptz not null default clock_timestamp()
  );

  create table mail_digest (
    person_id uuid primary key references person(id),
    told_until timestamptz not null
  );

  -- what has ended since, for the next digest
  create table mail_news (
    person_id uuid not null references person(id),
    request_id uuid not null references request(id),
    primary key (person_id, request_id)
  );

  -- one row: the requests whose last hours had begun by then have been told of
  create table mail_expiring (
    id boolean primary key default true check (id),
    told_until timestamptz not null
  );

  create table push_subscription (
    id uuid primary key,
    person_id uuid not null references person(id),
    session_id uuid not null references session(id) on delete cascade,
    endpoint text not null,
    p256dh text not null,
    auth text not null,
    created_at timestamptz not null default clock_timestamp(),
    seal text
  );
  create index push_subscription_of_person on push_subscription (person_id);
  create index push_subscription_of_session on push_subscription (session_id);

  -- who has no row gets each request that they may decide, and the end of those that they started
  create table push_choice (
    person_id uuid primary key references person(id),
    requests text not null check (requests in ('all', 'high', 'none')),
    ended boolean not null,
    quiet_from text,
    quiet_to text,
    time_zone text,
    changed_at timestamptz not null default clock_timestamp(),
    check ((quiet_from is null) = (quiet_to is null) and (quiet_from is null) = (time_zone is null))
  );

  create table slack_message (
    request_id uuid primary key references request(id) on delete cascade,
    channel text not null,
    ts text not null,
    shown text not null
  );

  create table slack_link (
    id uuid primary key,
    team text not null,
    user_id text not null,
    person_id uuid not null references person(id),
    created_at timestamptz not null default clock_timestamp(),
    seal text,
    unique (team, user_id),
    unique (team, person_id)
  );

  create table slack_link_code (
    code_hash text primary key,
    team text not null,
    user_id text not null,
    email text not null,
    expires_at timestamptz not null
  );

  -- signatures of the last minutes: each interaction is heard once
  create table slack_heard (
    signature text primary key,
    at timestamptz not null default clock_timestamp()
  );
`
