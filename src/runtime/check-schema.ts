import { sql } from 'kysely'
import type { Db } from '../store/database.ts'
import { migrations } from '../store/migrations/index.ts'
import { Refusal } from './serve-process.ts'

/**
 * Refuse to serve on a database that is not of this version: an older one lacks what we write, a
 * newer one was changed in ways that we do not know.
 */
export async function checkSchema(db: Db): Promise<void> {
  const applied = await appliedMigrations(db)
  const missing = Object.keys(migrations).filter((name) => !applied.has(name))
  if (missing.length > 0) {
    throw new Refusal(`The database lacks ${missing.join(', ')}: run "countersign migrate" first`)
  }
  const unknown = [...applied].filter((name) => !Object.hasOwn(migrations, name))
  if (unknown.length > 0) {
    throw new Refusal(
      `The database was brought further by a newer version (${unknown.join(', ')}): run that one`,
    )
  }
}

async function appliedMigrations(db: Db): Promise<Set<string>> {
  const { rows: tables } = await sql<{ found: string | null }>`
    select to_regclass('kysely_migration')::text as found
  `.execute(db)
  if (tables[0]?.found === null) return new Set()
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return new Set(rows.map((row) => row.name))
}
