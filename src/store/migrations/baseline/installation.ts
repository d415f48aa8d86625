/** The installation itself, its keys, and answers to requests that programs repeat. */
export const installation = `
  create extension if not exists pg_trgm;

  create table installation (
    id smallint primary key default 1 check (id = 1),
    namespace_id text,
    epoch integer not null default 1,
    created_at timestamptz not null default clock_timestamp(),
    restored_at timestamptz,
    restored_epoch integer not null default 1
  );
  insert into installation default values;

  create table installation_key (
    kind text not null check (kind in ('signing', 'log')),
    key_id text not null,
    since timestamptz not null default clock_timestamp(),
    retired_at timestamptz,
    vkey text,
    handover text,
    primary key (kind, key_id)
  );

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
  -- answers to repeated calls, oldest first
  create index idempotency_oldest on idempotency (created_at);
`
