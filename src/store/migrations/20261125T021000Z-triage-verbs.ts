import { sql, type Kysely } from 'kysely'

/**
 * What people do about requests that wait: put one off for themselves, hand one over, remind of
 * one; who is away; and comments on lines.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table request_snooze (
      request_id uuid not null references request(id) on delete cascade,
      person_id uuid not null references person(id),
      until timestamptz not null,
      primary key (request_id, person_id)
    );
    -- what somebody has put off
    create index request_snooze_of_person on request_snooze (person_id, until);
    create table request_handover (
      request_id uuid primary key references request(id) on delete cascade,
      to_id uuid not null references person(id),
      by_id uuid not null references person(id),
      at timestamptz not null default clock_timestamp()
    );
    create table request_nudge (
      request_id uuid primary key references request(id) on delete cascade,
      by_id uuid not null references person(id),
      at timestamptz not null default clock_timestamp()
    );
    create table absence (
      person_id uuid primary key references person(id),
      until timestamptz not null,
      note text
    );
    -- {file, side, line} of a comment on a line
    alter table comment add column anchor jsonb;
  `.execute(db)
}
