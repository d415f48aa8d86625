import { sql, type Kysely } from 'kysely'

/** The triggers that refuse messages until somebody resumes them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table trigger_pause (
      trigger text primary key,
      by_id uuid not null references person(id),
      at timestamptz not null default clock_timestamp()
    )
  `.execute(db)
}
