import { sql } from 'kysely'
import type { Db, Tx } from './database.ts'

/** The clock of the database, by which every deadline is judged, whatever the host's clock says. */
export async function databaseTime(db: Db | Tx): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('Postgres answered a query for its time without a row')
  return row.now
}
