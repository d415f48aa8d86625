import { sql, type Kysely } from 'kysely'

/**
 * The events of a run by which somebody came to stand behind it. They are read for every request
 * that opens, and a long run has thousands of others.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index audit_event_of_people on audit_event (run_id)
      where type in ('run.started', 'run.messaged', 'decision.recorded');
  `.execute(db)
}
