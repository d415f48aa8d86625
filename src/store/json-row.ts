/** A row that came as one value of another query's answer, by `to_jsonb(table)`. */
export type JsonRow = Readonly<Record<string, unknown>>

const timestamp = /_(at|until)$/

/**
 * The row as a query of its own would give it: timestamps as dates and identities as text. For
 * tables without `bytea`, whose timestamps are named `…_at` or `…_until`: the call site names the
 * table's type.
 */
export function fromJsonRow<T>(row: JsonRow): T {
  const values = Object.entries(row).map(([name, value]) => [name, columnValue(name, value)])
  return Object.fromEntries(values) as T
}

function columnValue(name: string, value: unknown): unknown {
  if (typeof value === 'string' && timestamp.test(name)) return new Date(value)
  return typeof value === 'number' && name === 'number' ? String(value) : value
}
