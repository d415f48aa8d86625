import { sql, type RawBuilder } from 'kysely'

/** A sort order: its keys as SQL, all in one direction, for a comparison of rows. */
export interface PageOrder {
  readonly keys: readonly RawBuilder<unknown>[]
  readonly descending: boolean
  /**
   * `nulls last` even for keys that are never null, because Postgres uses an index only in the null
   * order of the index
   */
  readonly nullsLast?: boolean
}

export interface PageQuery {
  readonly columns: readonly RawBuilder<unknown>[]
  readonly from: RawBuilder<unknown>
  /** all must hold */
  readonly where: readonly RawBuilder<boolean>[]
  /** at least one must hold */
  readonly anyOf: readonly RawBuilder<boolean>[]
  readonly order: PageOrder
  readonly limit: number
}

/**
 * The first rows in an order. Reads one page for each condition of `anyOf` by its index, and merges
 * the pages without duplicates. With an `or` instead, Postgres reads and hashes whole tables.
 */
export function pageOfAny(query: PageQuery): RawBuilder<unknown> {
  const { columns, from, where, anyOf, order, limit } = query
  const nulls = order.nullsLast === true ? sql` nulls last` : sql``
  const direction = sql`${order.descending ? sql`desc` : sql`asc`}${nulls}`
  const keyColumns = order.keys.map((key, index) => ({ key, name: sql.ref(`key_${index}`) }))
  const [first, ...others] = anyOf.map(
    (way) => sql`
      select ${sql.join([...columns, ...keyColumns.map(({ key, name }) => sql`${key} as ${name}`)])}
      from ${from} where ${sql.join([...where, way], sql` and `)}
      order by ${sql.join(keyColumns.map(({ key }) => sql`${key} ${direction}`))}
      limit ${limit}
    `,
  )
  if (first === undefined) throw new Error('A page takes one condition at least')
  if (others.length === 0) return first
  const pages = [first, ...others].map((page) => sql`(${page})`)
  return sql`
    select * from (${sql.join(pages, sql` union `)}) as page
    order by ${sql.join(keyColumns.map(({ name }) => sql`${name} ${direction}`))}
    limit ${limit}
  `
}
