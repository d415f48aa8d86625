import { TrailNotifications } from '#delivery/audit-log/trail-notifications.ts'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import {
  checkNotRestored,
  findRestored,
  forgetMark,
  isKnownWhole,
  keepMark,
} from './high-water-mark.ts'

let database: TestDatabase
let dataDir: string
beforeEach(async () => {
  database = await createTestDatabase()
  dataDir = newFolder('countersign mark ')
})
afterEach(() => database[Symbol.asyncDispose]())

/** An event of the trail at a time, to the microsecond. */
async function record(at: string): Promise<void> {
  await sql`
    insert into audit_event (id, at, type, actor_type, document)
    values (gen_random_uuid(), ${at}, 'system.started', 'system', '{}')
  `.execute(database.db)
}

/** Keeps the mark and stops at once: it is brought up to date when it is disposed. */
async function keepOnce(): Promise<string> {
  await using trail = new TrailNotifications({ databaseUrl: database.url })
  await keepMark(dataDir, database.db, trail)[Symbol.asyncDispose]()
  return (await readFile(join(dataDir, 'newest-record'), 'utf8')).trim()
}

test('the mark is the time of the newest event, to the microsecond', async () => {
  await record('2026-11-24T01:00:00.123456Z')
  expect(await keepOnce()).toBe('2026-11-24T01:00:00.123456Z')
  await record('2026-11-24T01:00:00.123457Z')
  expect(await keepOnce()).toBe('2026-11-24T01:00:00.123457Z')
  expect(await findRestored(dataDir, database.db)).toBeNull()
  await expect(checkNotRestored(dataDir, database.db)).resolves.toBeUndefined()
})

test('a Postgres that ends a microsecond before the mark was restored, and nothing works on it', async () => {
  await record('2026-11-24T01:00:00.123456Z')
  await writeFile(join(dataDir, 'newest-record'), '2026-11-24T01:00:00.123457Z\n')
  expect(await findRestored(dataDir, database.db)).toEqual({
    mark: '2026-11-24T01:00:00.123457Z',
    newest: '2026-11-24T01:00:00.123456Z',
  })
  await expect(checkNotRestored(dataDir, database.db)).rejects.toThrow(
    'countersign doctor --repair',
  )
})

test('an emptied Postgres is found, and accepting it forgets the mark', async () => {
  await writeFile(join(dataDir, 'newest-record'), '2026-11-24T01:00:00.123457Z\n')
  await expect(checkNotRestored(dataDir, database.db)).rejects.toThrow('is empty')
  await forgetMark(dataDir)
  await expect(checkNotRestored(dataDir, database.db)).resolves.toBeUndefined()
})

test('a mark without a valid time is ignored: it neither stops the service nor shows that nothing was lost', async () => {
  await record('2026-11-24T01:00:00.123456Z')
  await writeFile(join(dataDir, 'newest-record'), '9999\n')
  expect(await findRestored(dataDir, database.db)).toBeNull()
  expect(await isKnownWhole(dataDir, database.db)).toBe(false)
})

test('only a mark of the last minute shows that Postgres has lost nothing', async () => {
  await record('2026-11-24T01:00:00.000000Z')
  expect(await isKnownWhole(dataDir, database.db)).toBe(false)
  await keepOnce()
  expect(await isKnownWhole(dataDir, database.db)).toBe(true)
  await record('2026-11-24T01:00:59.000000Z')
  expect(await isKnownWhole(dataDir, database.db)).toBe(true)
  await record('2026-11-24T01:02:00.000000Z')
  expect(await isKnownWhole(dataDir, database.db)).toBe(false)
})
