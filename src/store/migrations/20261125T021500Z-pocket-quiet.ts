import { sql, type Kysely } from 'kysely'

/** What people want to be pushed, and when not. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
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
    )
  `.execute(db)
}
