/** A row that another query returned as one value, by `to_jsonb(table)`. */
export type JsonRow = Readonly<Record<string, unknown>>

const timestamp = /_(at|until)$/

/**
 * Converts the row to what a direct query returns: timestamps as dates, identities as text. Only
 * for tables without `bytea` whose timestamps are named `…_at` or `…_until`. `T` is the table's row
 * type.
 */
export function fromJsonRow<T>(row: JsonRow): T {
  const values = Object.entries(row).map(([name, value]) => [name, columnValue(name, value)])
  return Object.fromEntries(values) as T
}

function columnValue(name: string, value: unknown): unknown {
  if (typeof value === 'string' && timestamp.test(name)) return new Date(value)
  return typeof value === 'number' && name === 'number' ? String(value) : value
}
