import { sql, type RawBuilder } from 'kysely'

/**
 * Whether a lease or pause of a row is not over: its column is a time ahead. `maxAheadMs`, in SQL:
 * the longest for which it can be set. A time further ahead was set before the clock of the
 * database was set back, and counts as over; otherwise the row would wait until the clock has
 * caught up. Null if the column or the maximum is.
 */
export function isAhead(column: string, maxAheadMs: RawBuilder<number>): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} between clock_timestamp()
    and clock_timestamp() + ${maxAheadMs} * interval '1 millisecond')`
}
