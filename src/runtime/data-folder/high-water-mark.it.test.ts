import { TrailNotifications } from '#delivery/audit-log/trail-notifications.ts'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { coverAudit } from '#test/harness/fixtures/cover-audit.ts'
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
async function record(at: string, { db } = database): Promise<void> {
  await sql`
    insert into audit_event (id, at, type, actor_type, document)
    values (gen_random_uuid(), ${at}, 'system.started', 'system', '{}')
  `.execute(db)
}

/** Keeps the mark and stops at once: it is brought up to date when it is disposed. */
async function keepOnce(): Promise<string> {
  await using trail = new TrailNotifications({ databaseUrl: database.url })
  await keepMark(dataDir, database.db, trail)[Symbol.asyncDispose]()
  const text = await readFile(join(dataDir, 'newest-record'), 'utf8')
  return text.split('\n')[0] ?? ''
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

test('a Postgres that lost an event of the time after its clock was set back was restored, also if its older events are newer by their time', async () => {
  await record('2026-11-25T01:00:00.000000Z')
  await using older = await createTestDatabase()
  await record('2026-11-25T01:00:00.000000Z', older)
  await record('2026-11-24T01:00:00.000000Z')
  expect(await keepOnce()).toBe('2026-11-25T01:00:00.000000Z')
  expect(await findRestored(dataDir, database.db)).toBeNull()
  expect(await isKnownWhole(dataDir, older.db)).toBe(false)
  expect(await findRestored(dataDir, older.db)).toEqual({
    mark: '2026-11-25T01:00:00.000000Z (event 2)',
    newest: '2026-11-25T01:00:00.000000Z (event 1)',
  })
  // Events that are in the log count as those that wait for it.
  await coverAudit(database.db)
  await record('2026-11-24T02:00:00.000000Z')
  await keepOnce()
  await expect(checkNotRestored(dataDir, older.db)).rejects.toThrow(
    'come to 2026-11-25T01:00:00.000000Z (event 3)',
  )
  await expect(checkNotRestored(dataDir, database.db)).resolves.toBeUndefined()
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
