import { sql } from 'kysely'
import type { Db } from '#store/database.ts'

/** Bytes of each table's rows as Postgres stores them, without indexes and free space. */
export async function bytesByTable(db: Db): Promise<ReadonlyMap<string, number>> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'
  `.execute(db)
  const bytes = new Map<string, number>()
  for (const { name } of tables) {
    const { rows } = await sql<{ bytes: string }>`
      select coalesce(sum(pg_column_size(t.*)), 0) as bytes from ${sql.table(name)} t
    `.execute(db)
    bytes.set(name, Number(rows[0]?.bytes ?? 0))
  }
  return bytes
}
