import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { schemaOf } from '#test/previous/schema-of.ts'
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '#test/harness/postgres.ts'
import { checkSchema } from '#runtime/schema/check-schema.ts'
import { connectDatabase } from '../database.ts'
import { migrateTo, migrateToLatest } from './migrate.ts'
import { migrations } from '../migrations/index.ts'

const [first = '', second = ''] = Object.keys(migrations).toSorted()

async function addNewer({ db }: TestDatabase): Promise<void> {
  await sql`insert into kysely_migration values ('29990101T000000Z-flying', now()::text)`.execute(
    db,
  )
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
  await migrateTo(database.db, first)
  const before = await schemaOf(database.db)
  // In the way of a later migration, so that those before it have to be undone.
  await sql`create table mcp_pin ()`.execute(database.db)
  await expect(migrateToLatest(database.db)).rejects.toThrow('"mcp_pin" already exists')
  await sql`drop table mcp_pin`.execute(database.db)
  expect(await schemaOf(database.db)).toEqual(before)
  await expect(checkSchema(database.db)).rejects.toThrow(
    new RegExp(`The database lacks ${second}, .*: run "countersign migrate" first`),
  )
  await migrateToLatest(database.db)
  await checkSchema(database.db)
})

test('an older version neither serves on the schema of a newer one nor migrates it', async () => {
  await using database = await createTestDatabase()
  await checkSchema(database.db)
  await addNewer(database)
  const sentence = 'brought further by a newer version (29990101T000000Z-flying): run that one'
  await expect(checkSchema(database.db)).rejects.toThrow(sentence)
  await expect(migrateToLatest(database.db)).rejects.toThrow(sentence)
})
