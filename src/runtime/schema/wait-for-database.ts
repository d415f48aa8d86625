import { sql } from 'kysely'
import { databaseOutageOf, isDatabaseAway } from '#store/connection/database-outage.ts'
import type { Db } from '#store/database.ts'
import { patienceMs, waitForServer } from '../processes/wait-for-server.ts'

/** Waits until Postgres answers: two minutes at most, then throws what to do. */
export async function waitForDatabase(db: Db, stopping: AbortSignal): Promise<void> {
  await waitForServer({
    name: 'Postgres',
    ask: () => sql`select 1`.execute(db),
    mayPass,
    remedy: 'start it, or check DATABASE_URL',
    patienceMs,
    stopping,
  })
}

/** A refusal by the server itself (a password, a missing database) will not pass. */
function mayPass(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  const isRefused = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)
  return !isRefused || isDatabaseAway(error) || databaseOutageOf(error) === 'database_busy'
}
