import type { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { migrations } from './migrations/index.ts'
import type { Database } from './schema.ts'

/**
 * Brings the database to the newest schema. Safe to call from several processes at once (Kysely's lock table).
 * Rejects with the failing migration's error; a failed migration leaves nothing behind.
 */
export async function migrateToLatest(db: Kysely<Database>): Promise<readonly string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error, results } = await migrator.migrateToLatest()
  if (error instanceof Error) throw error
  if (error !== undefined) throw new Error('A migration failed', { cause: error })
  return (results ?? [])
    .filter((result) => result.status === 'Success')
    .map((result) => result.migrationName)
}
