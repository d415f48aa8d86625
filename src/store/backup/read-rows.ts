import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import type { TableShape } from './catalog.ts'

/**
 * Some rows of a table: JSON Lines, each value as the text that Postgres writes for it, or null.
 */
export interface RowsPart {
  readonly rows: number
  readonly text: string
}

/** The intended size of a part; a single row may be larger. */
const partBytes = 4 * 1024 * 1024
const maxRows = 500

/** Reads all tables in one snapshot, while the service continues. */
export function withSnapshot<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await sql`select set_config('bytea_output', 'hex', true), set_config('timezone', 'UTC', true),
        set_config('datestyle', 'ISO', true), set_config('intervalstyle', 'postgres', true),
        set_config('extra_float_digits', '1', true), set_config('idle_in_transaction_session_timeout', '0', true),
        set_config('statement_timeout', '0', true)`.execute(tx)
      return read(tx)
    })
}

/** Yields a table's rows in parts, so that memory use does not depend on its size. */
export async function* readRows(tx: Tx, table: TableShape): AsyncGenerator<RowsPart> {
  const texts = table.columns.map(({ name }) => sql`${sql.id(name)}::text as ${sql.id(name)}`)
  await sql`
    declare rows_of_table no scroll cursor for
      select row_to_json(r)::text as line from (select ${sql.join(texts)} from ${sql.table(table.name)}) r
  `.execute(tx)
  let count = 16
  for (;;) {
    const { rows } = await sql<{ line: string }>`
      fetch forward ${sql.raw(String(count))} from rows_of_table
    `.execute(tx)
    if (rows.length > 0) {
      const text = rows.map(({ line }) => `${line}\n`).join('')
      yield { rows: rows.length, text }
      const each = Math.max(1, text.length / rows.length)
      if (rows.length === count)
        count = Math.max(1, Math.min(maxRows, Math.floor(partBytes / each)))
      else break
    } else break
  }
  await sql`close rows_of_table`.execute(tx)
}
