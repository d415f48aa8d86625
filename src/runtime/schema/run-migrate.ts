import { errorMessage } from '#domain/error-message.ts'
import { connectDatabase } from '#store/database.ts'
import { migrateToLatest } from '#store/migrating/migrate.ts'
import { waitForDatabase } from './wait-for-database.ts'
import { grantToApplication, migrationUrl } from './application-role.ts'
import { processEnvironment } from '../environment.ts'
import { findFolders } from '../folders.ts'
import { readProjectEnvironment } from '../config/project-environment.ts'

/**
 * `countersign migrate`: migrates the database of `DATABASE_URL` to this version's schema. As the
 * owner in `COUNTERSIGN_MIGRATE_DATABASE_URL` it also grants the role of `DATABASE_URL` its rights.
 */
export async function runMigrate(options: { project?: string; data?: string }): Promise<void> {
  const folders = findFolders(options)
  const environment = readProjectEnvironment(folders.projectDir, processEnvironment())
  const url = migrationUrl(environment)
  if (url === undefined) {
    throw new Error(
      'DATABASE_URL is not set: name the Postgres to migrate, or run "countersign start", which brings its own',
    )
  }
  await using db = connectDatabase({ url, poolSize: 2, applicationName: 'countersign migrate' })
  try {
    await waitForDatabase(db, new AbortController().signal)
    const applied = await migrateToLatest(db)
    console.log(applied.length === 0 ? 'the schema is up to date' : `applied ${applied.join(', ')}`)
    const granted = await grantToApplication(db, environment)
    if (granted !== null) console.log(granted)
  } catch (cause) {
    throw new Error(`the database could not be migrated: ${errorMessage(cause)}`, { cause })
  }
}
