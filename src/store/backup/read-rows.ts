import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import type { TableShape } from './catalog.ts'

/** Rows of a table as JSON Lines: values as Postgres writes them as text, or null. */
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
        set_config('statement_timeout', '0', true), set_config('synchronize_seqscans', 'off', true)`.execute(
        tx,
      )
      return read(tx)
    })
}

/**
 * Yields a table's rows in parts, so that memory use does not depend on its size. A second cursor
 * reads the sizes of the same rows first: rows of many megabytes may follow hundreds of small ones.
 */
export async function* readRows(tx: Tx, table: TableShape): AsyncGenerator<RowsPart> {
  const texts = table.columns.map(({ name }) => sql`${sql.id(name)}::text as ${sql.id(name)}`)
  await sql`
    declare rows_of_table no scroll cursor for
      select row_to_json(r)::text as line from (select ${sql.join(texts)} from ${sql.table(table.name)}) r
  `.execute(tx)
  await sql`
    declare sizes_of_table no scroll cursor for
      select ${sql.join(table.columns.map(sizeOf), sql` + `)} as size from ${sql.table(table.name)}
  `.execute(tx)
  for (;;) {
    const { rows: sizes } = await sql<{ size: number }>`
      fetch forward ${sql.lit(maxRows)} from sizes_of_table
    `.execute(tx)
    for (const count of countsOfParts(sizes.map(({ size }) => size))) {
      const { rows } = await sql<{ line: string }>`
        fetch forward ${sql.lit(count)} from rows_of_table
      `.execute(tx)
      yield { rows: rows.length, text: rows.map(({ line }) => `${line}\n`).join('') }
    }
    if (sizes.length < maxRows) break
  }
  await sql`close sizes_of_table`.execute(tx)
  await sql`close rows_of_table`.execute(tx)
}

/**
 * The size of a column's text in bytes. For `bytea` and `text`, Postgres knows it without reading
 * the value.
 */
function sizeOf({ name, type }: TableShape['columns'][number]) {
  const column = sql.id(name)
  const bytes =
    type === 'bytea' ? sql`octet_length(${column}) * 2::float8` : sql`octet_length(${column}::text)`
  return sql`coalesce(${bytes}, 0)::float8`
}

/** The number of rows in each part, for rows of these sizes. */
function* countsOfParts(sizes: readonly number[]): Generator<number> {
  let count = 0
  let bytes = 0
  for (const size of sizes) {
    if (count > 0 && bytes + size > partBytes) {
      yield count
      count = 0
      bytes = 0
    }
    count += 1
    bytes += size
  }
  if (count > 0) yield count
}
