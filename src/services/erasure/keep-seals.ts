import type { UnitOfWork } from '../core/unit-of-work.ts'

const tables = [
  { table: 'request', key: 'id' },
  { table: 'external_request', key: 'request_id' },
] as const

/**
 * Runs `cut`, which removes contents from rows of requests, and seals again the rows whose seals
 * held: the seals cover the texts of a call and the folder of its program.
 */
export async function keepSeals(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  requestIds: readonly string[],
  cut: () => Promise<void>,
): Promise<void> {
  const rowsOf = ({ table, key }: (typeof tables)[number], ids: readonly string[]) =>
    tx.selectFrom(table).selectAll().where(key, 'in', ids).execute()
  const vouched = await Promise.all(
    tables.map(async (one) => {
      const rows: Record<string, unknown>[] = await rowsOf(one, requestIds)
      return rows.filter((row) => seals.holds(one.table, row)).map((row) => String(row[one.key]))
    }),
  )
  await cut()
  for (const [index, one] of tables.entries()) {
    const ids = vouched[index] ?? []
    if (ids.length === 0) continue
    const rows: Record<string, unknown>[] = await rowsOf(one, ids)
    for (const row of rows) {
      await tx
        .updateTable(one.table)
        .set({ seal: seals.of(one.table, row) })
        .where(one.key, '=', String(row[one.key]))
        .execute()
    }
  }
}
