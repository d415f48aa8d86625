import { sql, type Kysely } from 'kysely'
import { describe, expect, test } from 'vitest'
import { hashBytes } from '#domain/json/digest.ts'
import { schemaOf } from '#test/previous/schema-of.ts'
import { readDump } from '#test/previous/restored-dump.ts'
import { textsOf, withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { addNewerMigration, newerSentence } from '#test/harness/fixtures/newer-migration.ts'
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '#test/harness/postgres.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { checkSchema } from '#runtime/schema/check-schema.ts'
import { describeNewerBackup, requireKnownMigrations } from '../backup/restore-tables.ts'
import { connectDatabase } from '../database.ts'
import type { Database } from '../tables/schema.ts'
import { recordBaseline } from './baseline.ts'
import { readMigrations } from './applied-migrations.ts'
import { migrateTo, migrateToLatest } from './migrate.ts'
import { baselineName, migrations } from '../migrations/index.ts'

/** A database as the newest version with the sixty migrations left it. */
async function createFormerDatabase(): Promise<TestDatabase> {
  const database = await createEmptyDatabase()
  await migrateTo(database.db, baselineName)
  const { manifest } = (await readDump('20261125T055000Z-starts-budgets')).backup
  await sql`delete from kysely_migration`.execute(database.db)
  for (const name of manifest.migrations)
    await sql`insert into kysely_migration values (${name}, now()::text)`.execute(database.db)
  return database
}

test('two processes that migrate at once do it once, and a third finds nothing to do', async () => {
  await using database = await createEmptyDatabase()
  const pools = ['one', 'other'].map((applicationName) =>
    connectDatabase({ url: database.url, poolSize: 2, applicationName }),
  )
  try {
    const applied = await Promise.all(pools.map(migrateToLatest))
    expect(applied.map((names) => names.length).toSorted((a, b) => a - b)).toEqual([
      0,
      Object.keys(migrations).length,
    ])
  } finally {
    await Promise.all(pools.map((pool) => pool.destroy()))
  }
  expect(await migrateToLatest(database.db)).toEqual([])
  await checkSchema(database.db)
})

test('a migration that fails leaves the schema as it was, and can be tried again', async () => {
  await using database = await createEmptyDatabase()
  const before = await schemaOf(database.db)
  // In the way of a late part of it, so that those before have to be undone.
  await sql`create table mcp_pin ()`.execute(database.db)
  await expect(migrateToLatest(database.db)).rejects.toThrow('"mcp_pin" already exists')
  await sql`drop table mcp_pin`.execute(database.db)
  const after = await schemaOf(database.db)
  expect(after.filter((line) => !line.includes('kysely_migration'))).toEqual(before)
  await expect(checkSchema(database.db)).rejects.toThrow(
    `The database lacks ${Object.keys(migrations).join(', ')}: run "countersign migrate" first`,
  )
  await migrateToLatest(database.db)
  await checkSchema(database.db)
})

test('an older version neither serves on the schema of a newer one nor migrates it', async () => {
  await using database = await createTestDatabase()
  await checkSchema(database.db)
  await addNewerMigration(database.db)
  await expect(checkSchema(database.db)).rejects.toThrow(newerSentence)
  await expect(migrateToLatest(database.db)).rejects.toThrow(newerSentence)
})

/** Resolves once a migration waits for a lock on the table. */
async function untilWaitsFor(table: string, tx: Kysely<Database>): Promise<void> {
  await waitUntil(async () => {
    const { rows } = await sql`
      select from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database() and relation = ${table}::regclass and not granted
    `.execute(tx)
    return rows.length > 0
  })
}

test.each(['event', 'audit_event'])(
  'the migrations that copy the runs have the lock on %s before that, so that a deadlock loses no copy',
  async (table) => {
    await using database = await createEmptyDatabase()
    await migrateTo(database.db, '20261128T010000Z-sc-schedule-watch')
    const queries: LoggedQuery[] = []
    await using db = withQueryLog(database.url, queries)
    const migrating = await database.db.transaction().execute(async (tx) => {
      await sql`select from ${sql.table(table)}`.execute(tx)
      const done = migrateToLatest(db)
      await untilWaitsFor(table, tx)
      expect(textsOf(queries)).not.toContain('ended_early')
      return { done }
    })
    expect(await migrating.done).toContain('20261130T040000Z-co-fewer-index-entries')
    expect(textsOf(queries)).toContain('ended_early')
  },
)

test.each([
  ['has locked a run', sql`select from run for update`],
  ['has written to a run', sql`lock table run in row exclusive mode`],
] as const)(
  'migrations wait for a unit of work that %s, and it can still write its events',
  async (_, first) => {
    await using database = await createEmptyDatabase()
    await migrateTo(database.db, '20261130T040000Z-co-fewer-index-entries')
    await using db = withQueryLog(database.url, [])
    const migrating = await database.db.transaction().execute(async (tx) => {
      await first.execute(tx)
      const done = migrateToLatest(db)
      await untilWaitsFor('run', tx)
      // As the last statements of a unit do: its events, and then the run that it has locked.
      await sql`lock table audit_event in row exclusive mode nowait`.execute(tx)
      await sql`lock table run in row exclusive mode nowait`.execute(tx)
      return { done }
    })
    expect(await migrating.done).toContain('20261130T123000Z-co-fewer-trigger-calls')
  },
)

describe('a database of the migrations that the baseline replaces', () => {
  test('has the schema of the baseline, whose statements never change', async () => {
    await using database = await createEmptyDatabase()
    const queries: LoggedQuery[] = []
    await using db = withQueryLog(database.url, queries)
    await migrations[baselineName]?.up(db)
    // At commit 34102341 these statements made what `pg_dump` had written of the sixty migrations.
    expect(hashBytes(textsOf(queries))).toBe(
      'sha256:dec263242acce004237993309c9f20a8ec6483f0ce561ea63185cd0e99a44a24',
    )
  })

  test('keeps working: its schema is that of a new one, and only the list of its migrations differs', async () => {
    await using former = await createFormerDatabase()
    await using fresh = await createEmptyDatabase()
    await expect(checkSchema(former.db)).rejects.toThrow('run "countersign migrate" first')
    const before = await schemaOf(former.db)
    await Promise.all([1, 2, 3].map(() => recordBaseline(former.db)))
    expect(await schemaOf(former.db)).toEqual(before)
    await migrateToLatest(former.db)
    await migrateToLatest(fresh.db)
    expect(await readMigrations(former.db)).toEqual(Object.keys(migrations).toSorted())
    expect(await schemaOf(former.db)).toEqual(await schemaOf(fresh.db))
    await checkSchema(former.db)
  })

  test.each([
    ['lacks the last', '20261125T055000Z-starts-budgets'],
    ['lacks one between', '20261122T142100Z-retention'],
  ])(
    'is refused unchanged when it %s, and the sentence says what to install first',
    async (_, name) => {
      await using former = await createFormerDatabase()
      await sql`delete from kysely_migration where name = ${name}`.execute(former.db)
      const records = await readMigrations(former.db)
      const sentence = /older than the first release \(59 of 60 .*install commit 2f2d046f, run its/
      await expect(migrateToLatest(former.db)).rejects.toThrow(sentence)
      expect(await readMigrations(former.db)).toEqual(records)
      expect(() => requireKnownMigrations(records, describeNewerBackup)).toThrow(sentence)
    },
  )
})
