import { sql } from 'kysely'
import type { Db } from '#store/database.ts'

/** Whether there is anything whose workflow could be missing, late or behind. */
export async function hasOpenWork(db: Db): Promise<boolean> {
  const { rows } = await sql<{ isOpen: boolean }>`
    select exists (select from run where ended_at is null)
      or exists (select from request where state = 'pending' and kind = 'external')
      or exists (select from refused_attempt) as "isOpen"
  `.execute(db)
  return rows[0]?.isOpen === true
}
