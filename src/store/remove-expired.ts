import { sql } from 'kysely'
import type { Db, Tx } from './database.ts'

/**
 * Deletes the rows of a table that have expired. Returns when a row that is stored now expires, for
 * its seal.
 */
export async function removeExpired(
  db: Db | Tx,
  table: 'api_key_proposal' | 'passkey_challenge' | 'sign_in_flow' | 'slack_link_code',
  lastsMs: number,
): Promise<Date> {
  const { rows } = await sql<{ expiresAt: Date }>`
    with expired as (delete from ${sql.table(table)} where expires_at <= clock_timestamp())
    select clock_timestamp() + ${lastsMs} * interval '1 millisecond' as "expiresAt"
  `.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error(`Postgres answered the expiry of ${table} without a row`)
  return row.expiresAt
}
