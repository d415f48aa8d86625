import { sql, type Kysely } from 'kysely'

/**
 * What a model has written so far of the turn that is being taken, piece by piece. It goes when the
 * turn has its message, when the attempt fails, and when the run ends. No part of the transcript,
 * of the trail, or of what is counted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table live_text (
      run_id uuid not null references run(id),
      turn integer not null,
      attempt integer not null,
      -- how many UTF-16 units of the attempt's text come before
      start integer not null check (start >= 0),
      -- a JSON string: a model's text may hold what a text column cannot
      text text not null,
      primary key (run_id, turn, attempt, start)
    )
  `.execute(db)
}
