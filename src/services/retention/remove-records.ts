import { recordOf } from '#domain/json/record-of.ts'
import { sql } from 'kysely'
import type { Db } from '#store/database.ts'
import {
  deliveredByDefault,
  isDue,
  isOld,
  oldRecords,
  recordKinds,
  type OldRecords,
  type RecordCounts,
} from './old-records.ts'

/** Rows of one statement, so that no statement takes long. */
const atOnce = 1000

/**
 * Removes records of the service itself that are over longer than `olderThanMs`: deliveries,
 * sessions and others. It never removes runs, requests, contents or events of the trail. Stops
 * between two statements.
 */
export async function removeRecords(
  db: Db,
  options: { readonly olderThanMs: number; readonly stopping: AbortSignal },
): Promise<RecordCounts> {
  const { olderThanMs, stopping } = options
  const removed: RecordCounts = recordOf(recordKinds, () => 0)
  for (const kind of recordKinds) {
    const records = oldRecords[kind]
    removed[kind] = await removeOld(db, { records, olderThanMs, stopping })
  }
  return removed
}

/** The same for notifications that were delivered long ago, without a setting. Returns how many. */
export function removeDelivered(db: Db, stopping: AbortSignal): Promise<number> {
  return removeOld(db, { ...deliveredByDefault, stopping })
}

interface RemovalOptions {
  readonly records: OldRecords
  readonly olderThanMs: number
  readonly stopping: AbortSignal
}

async function removeOld(db: Db, removing: RemovalOptions): Promise<number> {
  if (removing.records.walked) return removeWalking(db, removing)
  const { records, olderThanMs, stopping } = removing
  const { table, key, order } = records
  let removed = 0
  for (let last = atOnce; last === atOnce && !stopping.aborted; removed += last) {
    const { numAffectedRows } = await sql`
      delete from ${table} where (${key}) in (
        select ${key} from ${table} where ${isDue(records, olderThanMs)} order by ${order} limit ${sql.lit(atOnce)}
      )
    `.execute(db)
    last = Number(numAffectedRows ?? 0n)
  }
  return removed
}

/** Reads pages from the oldest until one ends with a young row, and never all rows. */
async function removeWalking(db: Db, removing: RemovalOptions): Promise<number> {
  const { records, olderThanMs, stopping } = removing
  const { table, key, order, at } = records
  let removed = 0
  for (let after = '0'; !stopping.aborted;) {
    const { rows } = await sql<{ seen: number; gone: number; last: string; old: boolean }>`
      with page as (
        select ${key} as key, ${order} as place, ${isDue(records, olderThanMs)} as due,
          ${isOld(at, olderThanMs)} as old
        from ${table} where ${order} > ${after}::bigint order by ${order} limit ${sql.lit(atOnce)}
      ), gone as (
        delete from ${table} where ${key} in (select key from page where due) returning 1
      ), last as (
        select place, old from page order by place desc limit 1
      )
      select (select count(*)::int from page) as seen, (select count(*)::int from gone) as gone,
        last.place::text as last, last.old from last
    `.execute(db)
    const [page] = rows
    removed += page?.gone ?? 0
    if (page === undefined || page.seen < atOnce || !page.old) return removed
    after = page.last
  }
  return removed
}
