import { sql, type Kysely } from 'kysely'

/** The time up to which the times of a schedule were compared with those that Temporal reported. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table schedule_watch (
      schedule text primary key,
      -- a schedule with other times is watched anew
      cron text not null,
      timezone text not null,
      paused boolean not null,
      through timestamptz not null
    )
  `.execute(db)
}
