import { sql, type Kysely } from 'kysely'

/**
 * Outgoing webhooks (security.md 23): what each endpoint is told, once an event, and how far that
 * has come.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table endpoint (
      name text primary key,
      told_until bigint not null,
      created_at timestamptz not null default clock_timestamp()
    );
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
      unique (endpoint, event_id)
    );
    -- relay: what is due at an endpoint
    create index delivery_due on delivery (endpoint, next_attempt_at) where state = 'pending';
    -- the list of deliveries, newest first, of a state or an endpoint
    create index delivery_newest on delivery (created_at desc, id desc);
    create index delivery_of_state on delivery (state, created_at desc, id desc);
    create index delivery_of_endpoint on delivery (endpoint, created_at desc, id desc);
  `.execute(db)
}
