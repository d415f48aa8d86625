import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { advisoryLocks } from '../connection/advisory-locks.ts'
import type { Db, Tx } from '../database.ts'
import { withBaseline } from '../migrating/baseline.ts'
import { migrateTo, migrateToLatest } from '../migrating/migrate.ts'
import { migrations } from '../migrations/index.ts'
import { isEmptyDatabase, readShapes, type SequencePlace, type TableShape } from './catalog.ts'

/** What a backup says about its database. */
export interface SavedDatabase {
  readonly migrations: readonly string[]
  readonly tables: readonly TableShape[]
  readonly sequences: readonly SequencePlace[]
}

/** Some rows of a table, as they come out of a backup. */
export interface SavedRows {
  readonly table: string
  readonly text: string
}

/**
 * Throws one sentence unless this version can migrate a database with these migrations to its
 * schema. Returns the last of them under the name that it has in this version. `describe`: the
 * sentence about those of a newer version.
 */
export function requireKnownMigrations(
  applied: readonly string[],
  describe: (unknown: readonly string[]) => string,
): string {
  const saved = withBaseline(applied)
  const knownMigrations = Object.keys(migrations).toSorted()
  const unknown = saved.filter((name) => !knownMigrations.includes(name))
  if (unknown.length > 0) throw new Error(describe(unknown))
  const last = saved.at(-1)
  if (last === undefined || !isDeepStrictEqual(saved, knownMigrations.slice(0, saved.length)))
    throw new Error('The backup is not of a released version: its migrations have gaps')
  return last
}

/** The sentence for a backup of a newer version. */
export function describeNewerBackup(unknown: readonly string[]): string {
  return `The backup is of a newer version (${unknown.join(', ')}): restore it with that version`
}

/**
 * Fills an empty database: makes the schema that was saved, loads the rows, and migrates both to
 * this version's schema. It records that nobody has accepted the copy yet. One transaction: when
 * anything fails, the database is as empty as before. Returns the number of rows. Rejects with one
 * sentence when the database is not empty.
 */
export async function restoreTables(
  db: Db,
  saved: SavedDatabase,
  parts: AsyncIterable<SavedRows>,
): Promise<number> {
  const last = requireKnownMigrations(saved.migrations, describeNewerBackup)
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${advisoryLocks.restore})`.execute(tx)
    if (!(await isEmptyDatabase(tx))) {
      throw new Error('The database is not empty: a backup is restored into a new one only')
    }
    await migrateTo(tx, last)
    const shapes = await requireShapes(tx, saved.tables)
    let rows = 0
    await withoutChecks(tx, async () => {
      for (const table of shapes.keys()) await sql`delete from ${sql.table(table)}`.execute(tx)
      for await (const { table, text } of parts) {
        const shape = shapes.get(table)
        if (shape === undefined)
          throw new Error(`The backup has rows of an unknown table: ${table}`)
        rows += await loadRows(tx, shape, text)
      }
    })
    for (const { name, last } of saved.sequences) {
      if (last !== null)
        await sql`select setval(${`"${name}"`}::regclass, ${last}::bigint)`.execute(tx)
    }
    await migrateToLatest(tx)
    await tx
      .updateTable('installation')
      .set({ restored_at: sql<Date>`clock_timestamp()` })
      .execute()
    return rows
  })
}

/** The present tables by name. Rejects unless they are those that were saved. */
async function requireShapes(
  tx: Tx,
  saved: readonly TableShape[],
): Promise<Map<string, TableShape>> {
  const currentShapes = new Map((await readShapes(tx)).map((shape) => [shape.name, shape]))
  const savedShapes = new Map(saved.map((shape) => [shape.name, shape]))
  const other = [...new Set([...currentShapes.keys(), ...savedShapes.keys()])].find(
    (name) => !isDeepStrictEqual(currentShapes.get(name)?.columns, savedShapes.get(name)?.columns),
  )
  if (other !== undefined) {
    throw new Error(`The table ${other} of the backup is not the one that its migrations make`)
  }
  return currentShapes
}

/** Inserts rows that `readRows` read and returns their number. `table` must match the database. */
async function loadRows(tx: Tx, table: TableShape, text: string): Promise<number> {
  const lines = text.split('\n').filter((line) => line !== '')
  const names = sql.join(table.columns.map(({ name }) => sql.id(name)))
  const texts = sql.join(table.columns.map(({ name }) => sql`${sql.id(name)} text`))
  const values = sql.join(
    table.columns.map(({ name, type }) => sql`r.${sql.id(name)}::${sql.raw(type)}`),
  )
  await sql`
    insert into ${sql.table(table.name)} (${names}) overriding system value
    select ${values} from json_to_recordset(${`[${lines.join(',')}]`}::json) as r(${texts})
  `.execute(tx)
  return lines.length
}

type ForeignKey = { readonly table: string; readonly name: string; readonly definition: string }
type Trigger = { readonly table: string; readonly name: string; readonly enabled: string }

/**
 * Runs `load` without foreign keys and triggers, since rows come table by table; afterwards every
 * foreign key is checked. Needs the tables' owner.
 */
async function withoutChecks(tx: Tx, load: () => Promise<void>): Promise<void> {
  const keys = await foreignKeys(tx)
  const triggers = await ownTriggers(tx)
  for (const { table, name } of keys)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.id(name)}`.execute(tx)
  for (const { table, name } of triggers)
    await sql`alter table ${sql.table(table)} disable trigger ${sql.id(name)}`.execute(tx)
  await load()
  for (const { table, name, enabled } of triggers) {
    if (enabled === 'D') continue
    const how = sql.raw({ A: 'enable always', R: 'enable replica' }[enabled] ?? 'enable')
    await sql`alter table ${sql.table(table)} ${how} trigger ${sql.id(name)}`.execute(tx)
  }
  for (const { table, name, definition } of keys) {
    await sql`alter table ${sql.table(table)} add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(
      tx,
    )
  }
}

async function foreignKeys(tx: Tx): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select class.relname as table, conname as name, pg_get_constraintdef(con.oid) as definition
    from pg_constraint con join pg_class class on class.oid = con.conrelid
    where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace
    order by class.relname, conname
  `.execute(tx)
  return rows
}

async function ownTriggers(tx: Tx): Promise<Trigger[]> {
  const { rows } = await sql<Trigger>`
    select class.relname as table, tgname as name, tgenabled as enabled
    from pg_trigger join pg_class class on class.oid = tgrelid
    where not tgisinternal and tgparentid = 0 and relnamespace = current_schema()::regnamespace
    order by class.relname, tgname
  `.execute(tx)
  return rows
}
