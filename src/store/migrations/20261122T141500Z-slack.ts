import { sql, type Kysely } from 'kysely'

/**
 * Slack: the message of each request, who a person is there, codes to link them, and what was heard
 * already.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
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
  `.execute(db)
}
