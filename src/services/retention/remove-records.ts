import { sql } from 'kysely'
import type { Db } from '../../store/database.ts'
import { isDue, oldRecords, recordKinds, type RecordCounts } from './old-records.ts'

/** Of each kind at most so many in one statement: nobody waits for a long one. */
const atOnce = 1000

/**
 * Removes what the service itself needed and nobody needs any more: deliveries, sessions and the like that were over longer
 * ago than `olderThanMs`. No run, no request, no content and nothing of the trail. Stops between two statements.
 */
export async function removeRecords(
  db: Db,
  options: { readonly olderThanMs: number; readonly stopping: AbortSignal },
): Promise<RecordCounts> {
  const removed = Object.fromEntries(recordKinds.map((kind) => [kind, 0])) as RecordCounts
  for (const kind of recordKinds) {
    const { table, key, order } = oldRecords[kind]
    const due = isDue(oldRecords[kind], options.olderThanMs)
    for (let last = atOnce; last === atOnce && !options.stopping.aborted;) {
      const { numAffectedRows } = await sql`
        delete from ${table} where (${key}) in (
          select ${key} from ${table} where ${due} order by ${order} limit ${sql.lit(atOnce)}
        )
      `.execute(db)
      last = Number(numAffectedRows ?? 0n)
      removed[kind] += last
    }
  }
  return removed
}
