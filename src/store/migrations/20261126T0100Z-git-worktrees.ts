import { sql, type Kysely } from 'kysely'

/** The Git worktree of a run; `null`: it works in the folder of its workspace. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table run add column worktree jsonb`.execute(db)
}
