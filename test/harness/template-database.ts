import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { migrateToLatest } from '#store/migrating/migrate.ts'
import type { Database } from '#store/tables/schema.ts'

/** The migrated, empty database that every test database is a copy of. */
export const templateName = 'countersign_template'

/**
 * Creates and migrates the template on a fresh server; `serverUrl` is that of any database on it.
 */
export async function migrateTemplate(serverUrl: string): Promise<void> {
  const admin = new pg.Client({ connectionString: serverUrl })
  await admin.connect()
  await admin.query(`create database ${templateName}`)
  await admin.end()
  const pool = new pg.Pool({ connectionString: databaseUrl(serverUrl, templateName), max: 1 })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  await migrateToLatest(db)
  await db.destroy()
}

/** The address of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
