import { sql, type RawBuilder } from 'kysely'
import { eachOf } from './each-of.ts'

/**
 * Whether a column is one of these ids. Postgres keeps one plan for it. For `any($1)` it estimates
 * the number of rows from the list, and plans a statement with a short list again each time.
 */
export function isOneOf(column: string, ids: readonly string[]): RawBuilder<boolean> {
  return ids.length === 1
    ? sql<boolean>`${sql.ref(column)} = ${ids[0]}::uuid`
    : sql<boolean>`${sql.ref(column)} = any(array(select value::uuid from ${eachOf(ids)} as one(value)))`
}
