import { sql, type Kysely } from 'kysely'

/** What people want to be mailed, and up to when they have been. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
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
  `.execute(db)
}
