import pg from 'pg'
import { connectionConfig, type Db } from './database.ts'

/**
 * Does work that only one process may do at a time, unless another one is doing it. Returns whether
 * it was done. The lock has its own connection, so that the work can use the pool, and ends with
 * the process.
 */
export async function underSessionLock(
  db: Db,
  lock: number,
  work: () => Promise<void>,
): Promise<boolean> {
  const client = new pg.Client(connectionConfig(db))
  // A lost connection releases the lock. The work then fails at its own queries, or is safe to
  // repeat.
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ mine: boolean }>(
      'select pg_try_advisory_lock($1) as mine',
      [lock],
    )
    if (rows[0]?.mine !== true) return false
    try {
      await work()
    } finally {
      await client.query('select pg_advisory_unlock($1)', [lock]).catch(() => undefined)
    }
    return true
  } finally {
    await client.end().catch(() => undefined)
  }
}
