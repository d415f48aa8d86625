import pg from 'pg'
import { connectionOf, type Db } from './database.ts'

/**
 * Does long work that only one process may be at, unless another one is at it: answers whether it
 * was done. The lock is held by a connection of its own, so that the work may ask the pool, and
 * goes with this process.
 */
export async function underSessionLock(
  db: Db,
  lock: number,
  work: () => Promise<void>,
): Promise<boolean> {
  const client = new pg.Client(connectionOf(db))
  // A lost connection gives the lock up; the work fails by its own queries, or repeats nothing that
  // is done.
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
