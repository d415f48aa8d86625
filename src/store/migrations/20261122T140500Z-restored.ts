import { sql, type Kysely } from 'kysely'

/**
 * When this database was restored from a backup that nobody has accepted yet (docs/backup.md); null
 * otherwise.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table installation add column restored_at timestamptz`.execute(db)
}
