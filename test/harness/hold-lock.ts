import { sql, type RawBuilder } from 'kysely'
import type { Db } from '#store/database.ts'
import { waitUntil } from './wait-until.ts'

/** The locks of a statement, held until `release`. */
export interface HeldLock {
  /** Resolves once this many connections of the database wait for locks. */
  waitedForBy(count: number): Promise<void>
  release(): Promise<void>
}

/** Carries out a statement that locks something, in a transaction that ends with `release`. */
export async function holdLock(db: Db, statement: RawBuilder<unknown>): Promise<HeldLock> {
  const isHeld = Promise.withResolvers<void>()
  const isReleased = Promise.withResolvers<void>()
  const transaction = db.transaction().execute(async (tx) => {
    await statement.execute(tx)
    isHeld.resolve()
    await isReleased.promise
  })
  await Promise.race([isHeld.promise, transaction])
  return {
    waitedForBy: (count) =>
      waitUntil(async () => {
        const { rows } = await sql<{ waiting: number }>`
          select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
        return rows[0]?.waiting === count
      }),
    async release() {
      isReleased.resolve()
      await transaction
    },
  }
}
