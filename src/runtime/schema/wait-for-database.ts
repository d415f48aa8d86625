import { sql } from 'kysely'
import type { Db } from '#store/database.ts'
import { patienceMs, waitForServer } from '../processes/wait-for-server.ts'

/** Waits until Postgres answers: two minutes at most, then throws what to do. */
export async function waitForDatabase(db: Db, stopping: AbortSignal): Promise<void> {
  await waitForServer({
    name: 'Postgres',
    ask: () => sql`select 1`.execute(db),
    mayPass: (error) => mayPass(error),
    remedy: 'start it, or check DATABASE_URL',
    patienceMs,
    stopping,
  })
}

/**
 * Starting up, shutting down, too many connections, a connection that broke: SQLSTATE 57P01 to
 * 57P03, 53300, 08xxx.
 */
const passing = /^(?:57P0[123]|53300|08...)$/

/** What the server itself refused (a password, a database that is not there) stays refused. */
function mayPass(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  const isRefused = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)
  return !isRefused || passing.test(code)
}
