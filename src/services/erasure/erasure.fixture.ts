import { zstdDecompressSync } from 'node:zlib'
import { sql } from 'kysely'
import { forgetRemoved } from '#store/content/drop-content.ts'
import type { Db } from '#store/database.ts'

/** `table.column` of all stored text, JSON and bytes (unpacked) that hold the marker. */
export async function placesOf(db: Db, marker: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
  `.execute(db)
  const found = new Set<string>()
  for (const { name } of tables) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(
      db,
    )
    for (const row of rows) {
      for (const [column, value] of Object.entries(row)) {
        if (textOf(value).includes(marker)) found.add(`${name}.${column}`)
      }
    }
  }
  return [...found]
}

function textOf(value: unknown): string {
  if (!Buffer.isBuffer(value)) return JSON.stringify(value)
  const isPacked = value.subarray(0, 4).equals(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]))
  return (isPacked ? zstdDecompressSync(value) : value).toString('utf8')
}

/** Moves the times so that the hour in which removed bytes can be restored is over. */
export async function anHourLater(db: Db): Promise<void> {
  await sql`update removed_content set removed_at = removed_at - interval '2 hours'`.execute(db)
  await forgetRemoved(db, { maxContents: 1000 })
}
