import { sql, type RawBuilder } from 'kysely'
import type { Db } from '#store/database.ts'

/** Changes rows as a forger does, without the checks of foreign keys and ordinary triggers. */
export function asForger(db: Db): (change: RawBuilder<unknown>) => Promise<void> {
  return (change) =>
    db.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx)
      await change.execute(tx)
    })
}
