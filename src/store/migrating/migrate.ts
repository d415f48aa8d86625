import type { Kysely } from 'kysely'
import { Migrator, type MigrationResultSet } from 'kysely/migration'
import { describeNewer, readMigrations, unknownMigrations } from './applied-migrations.ts'
import { recordBaseline } from './baseline.ts'
import { migrations } from '../migrations/index.ts'
import type { Database } from '../tables/schema.ts'

/**
 * Brings the database to the newest schema. Safe to call from several processes at once (Kysely's
 * lock table). Rejects with the failing migration's error; a failed migration leaves nothing
 * behind. Rejects with a sentence, and changes nothing, when a newer version has migrated the
 * database, or when its schema is older than the baseline.
 */
export async function migrateToLatest(db: Kysely<Database>): Promise<readonly string[]> {
  const unknown = unknownMigrations(await readMigrations(db))
  if (unknown.length > 0) throw new Error(describeNewer(unknown))
  await recordBaseline(db)
  return appliedNames(await migratorOf(db).migrateToLatest())
}

/**
 * Migrates up to `name` only, the schema of an earlier version. The database must be older than
 * that: Kysely migrates a newer one down.
 */
export async function migrateTo(db: Kysely<Database>, name: string): Promise<readonly string[]> {
  return appliedNames(await migratorOf(db).migrateTo(name))
}

function migratorOf(db: Kysely<Database>): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } })
}

function appliedNames({ error, results }: MigrationResultSet): readonly string[] {
  if (error instanceof Error) throw error
  if (error !== undefined) throw new Error('A migration failed', { cause: error })
  return (results ?? [])
    .filter((result) => result.status === 'Success')
    .map((result) => result.migrationName)
}
