import type { Choices } from '../../shell/seeded.ts'
import { changesOf, type Column } from './column-changes.ts'
import type { UndoneDatabase } from './undone-database.ts'

/** A table that has rows. */
export interface StoredRows {
  readonly table: string
  readonly columns: readonly Column[]
  /** the names of the columns of its primary key */
  readonly keys: readonly string[]
  /** where Postgres stores each row */
  readonly places: readonly string[]
}

/** Every table that has rows. */
export async function tablesWithRows(
  { query }: UndoneDatabase,
  columns: readonly Column[],
): Promise<StoredRows[]> {
  const tables: StoredRows[] = []
  for (const [table, own] of Map.groupBy(columns, (column) => column.table)) {
    const { rows } = await query(`select ctid::text as place from "${table}"`)
    if (rows.length === 0) continue
    const { rows: keys } = await query(
      `select a.attname as name from pg_index i
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
       where i.indrelid = $1::regclass and i.indisprimary`,
      [`"${table}"`],
    )
    tables.push({
      table,
      columns: own,
      keys: keys.map(({ name }) => String(name)),
      places: rows.map(({ place }) => String(place)),
    })
  }
  return tables
}

/**
 * A statement about one row: it is removed, exchanged with another one as a whole or in one column,
 * stored again under another key, or gets another value.
 */
export async function changeOfRow(
  undone: UndoneDatabase,
  { table, columns, keys, places }: StoredRows,
  choose: Choices,
): Promise<string> {
  const [row, other] = [`'${choose.one(places)}'::tid`, `'${choose.one(places)}'::tid`]
  const column = choose.one(columns)
  const exchange = (which: readonly Column[]): string => {
    const names = which.map(({ name }) => `"${name}"`).join()
    return `update "${table}" as one set (${names}) = (select ${names} from "${table}" as two
      where two.ctid = case when one.ctid = ${row} then ${other} else ${row} end)
      where one.ctid in (${row}, ${other}) and ${row} <> ${other}`
  }
  switch (choose.number(5)) {
    case 0:
      return `delete from "${table}" where ctid = ${row}`
    case 1:
      return exchange(columns.filter(({ name }) => !keys.includes(name)))
    case 2:
      return exchange([column])
    case 3: {
      const key = choose.one(keys)
      const values = columns.map(({ name, type }) => {
        if (name !== key || type === 'bigint') return `"${name}"`
        if (type === 'uuid' && choose.percent(50)) return 'gen_random_uuid()'
        return `(select "${name}" from "${table}" where ctid = ${other})`
      })
      const names = columns.map(({ name }) => `"${name}"`).join()
      return `insert into "${table}" (${names}) select ${values.join()} from "${table}" where ctid = ${row}`
    }
    default:
      return `${choose.one(await changesOf(undone, column))} and ctid = ${row}`
  }
}
