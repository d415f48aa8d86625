import type { Db } from '#store/database.ts'

/**
 * Whether the store says that a run ended, or has no such run: only then cancellations count
 * (security.md 14).
 */
export async function runHasEnded(db: Db, runId: string): Promise<boolean> {
  const run = await db
    .selectFrom('run')
    .select('ended_at')
    .where('id', '=', runId)
    .executeTakeFirst()
  return run === undefined || run.ended_at !== null
}
