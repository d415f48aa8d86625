import { sql } from 'kysely'
import type { Db } from '#store/database.ts'

/** How many rows scans have read so far, by table. */
async function rowsRead(db: Db, tables: readonly string[]): Promise<Map<string, number>> {
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await sql<{ table: string; rows: string }>`
    select relname as table, seq_tup_read + coalesce(idx_tup_fetch, 0) as rows
    from pg_stat_user_tables where relname = any(${tables}::text[])
  `.execute(db)
  return new Map(rows.map(({ table, rows: read }) => [table, Number(read)]))
}

/**
 * How many rows `work` reads, by table. The counts are of all connections: another one may add what
 * it read before.
 */
export async function rowsReadBy(
  db: Db,
  tables: readonly string[],
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const before = await rowsRead(db, tables)
  await work()
  const after = await rowsRead(db, tables)
  return Object.fromEntries(tables.map((name) => [name, after.get(name)! - before.get(name)!]))
}
