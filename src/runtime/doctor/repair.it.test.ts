import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newDataFolder } from '#test/harness/fixtures/data-folder.ts'
import { addNewerMigration, newerSentence } from '#test/harness/fixtures/newer-migration.ts'
import { rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import { useTemporal } from '#test/harness/temporal.ts'
import { openMemory } from '../data-folder/memory.ts'
import { findFolders } from '../folders.ts'
import { loadSigner } from '../keys/signing-key.ts'
import { repair } from './repair.ts'

/** Repairs an installation with this database. */
async function repairOf({ url }: TestDatabase, dataDir: string): Promise<unknown> {
  const { address, namespace } = await useTemporal()
  return repair({
    folders: findFolders({ data: dataDir }),
    environment: {},
    databaseUrl: url,
    temporalAddress: address,
    temporalNamespace: namespace,
    temporalSecurity: { tls: false },
    isAtWork: true,
  })
}

// Rules: security.md 29
test('a repair that refuses an epoch that only SQL can have written has accepted nothing: the data folder still knows its newest policy', async () => {
  await using database = await createTestDatabase()
  const dataDir = newDataFolder()
  await loadSigner(dataDir, {})
  const newest = { sequence: 7, hash: 'newest' }
  await openMemory(dataDir).rememberPolicy(newest)
  // The database has no event, and the installation had come to this one.
  await writeFile(join(dataDir, 'newest-record'), '2026-11-30T00:00:00.000000Z\n5\n')
  await setRows(database.db, 'installation', {}, { epoch: 2_147_483_647 })
  await expect(repairOf(database, dataDir)).rejects.toThrow('says that the epoch is 2147483647')
  expect(openMemory(dataDir).policy()).toEqual(newest)
  expect(await rowsOf(database.db, 'audit_event', {}, 'id')).toEqual([])
})

test('an older version repairs no database that a newer one has migrated', async () => {
  await using database = await createTestDatabase()
  const dataDir = newDataFolder()
  await loadSigner(dataDir, {})
  await addNewerMigration(database.db)
  const before = await rowsOf(database.db, 'installation', {})
  await expect(repairOf(database, dataDir)).rejects.toThrow(newerSentence)
  expect(await rowsOf(database.db, 'installation', {})).toEqual(before)
  expect(await rowsOf(database.db, 'audit_event', {}, 'id')).toEqual([])
})
