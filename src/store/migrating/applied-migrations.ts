import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { baselineName, migrations } from '../migrations/index.ts'

/** The migrations that made this schema, in their order; none in an empty database. */
export async function readMigrations(db: Db | Tx): Promise<string[]> {
  const { rows: tables } = await sql<{ table: string | null }>`
    select to_regclass('kysely_migration')::text as table
  `.execute(db)
  if (tables[0]?.table === null) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map(({ name }) => name).toSorted()
}

/**
 * The applied migrations that this version does not know. A newer version has changed the schema in
 * ways that this version cannot know. The baseline stands for older ones.
 */
export function unknownMigrations(applied: readonly string[]): string[] {
  return applied.filter((name) => name > baselineName && !Object.hasOwn(migrations, name))
}

/** The sentence for a database that a newer version has migrated. */
export function describeNewer(unknown: readonly string[]): string {
  return `The database was migrated by a newer version (${unknown.join(', ')}): run that one`
}
