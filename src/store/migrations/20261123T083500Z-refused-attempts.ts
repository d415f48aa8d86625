import { sql, type Kysely } from 'kysely'

/**
 * Refused attempts of the last minute, by which the same one again is counted instead of told
 * again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
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
    create index refused_attempt_over on refused_attempt (until)
  `.execute(db)
}
