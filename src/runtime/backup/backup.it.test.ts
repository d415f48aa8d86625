import { createHash } from 'node:crypto'
import { copyFile, readdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aside } from '#test/harness/aside.ts'
import { exportOf } from '#test/harness/evidence/export-of.ts'
import { openAuditDesk, type AuditDesk } from '#test/harness/evidence/audit-desk.ts'
import { seededChoices } from '#test/shell/seeded.ts'
import {
  addNewerMigration,
  newerMigration,
  newerSentence,
} from '#test/harness/fixtures/newer-migration.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { createEmptyDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import { archiveEnd, archiveFile, type ArchivedFile } from '#evidence/bundle/tar.ts'
import { verifyLog } from '#evidence/verify/verify-log.ts'
import { raiseEpoch } from '#services/installation/raise-epoch.ts'
import { readRows, withSnapshot } from '#store/backup/read-rows.ts'
import { readShapes } from '#store/backup/catalog.ts'
import { restoreTables, type SavedRows } from '#store/backup/restore-tables.ts'
import { toJsonb, type Db } from '#store/database.ts'
import { writeRecords } from '#store/records/records.ts'
import { checkNotRestored } from '../data-folder/high-water-mark.ts'
import { manifestHashName, manifestName, partName, type Manifest } from './manifest.ts'
import type { KeyFile } from './key-files.ts'
import { readBackup } from './read-backup.ts'
import { withConnection } from './with-database.ts'
import { writeBackup } from './write-backup.ts'

const noKeys = async (): Promise<readonly KeyFile[]> => []

let auditDesk: AuditDesk
let db: Db
let folder: string
let file: string
let savedManifest: Manifest

beforeAll(async () => {
  auditDesk = await openAuditDesk()
  db = auditDesk.desk.database.db
  folder = newFolder('countersign backup ')
  file = join(folder, 'all.backup')
  // The most difficult values of JSON, text and arrays: all must be restored unchanged.
  await db
    .insertInto('idempotency')
    .values({
      principal: 'odd "quotes" \\ and\nlines\t, € 𝄞 \u0001',
      key: '',
      route: 'null',
      body_hash: '{NULL,"a b"}',
      status: 200,
      response: 'null',
    })
    .execute()
  await db
    .insertInto('outbox')
    .values({ run_id: null, kind: 'odd', payload: toJsonb({ '': ['\n', 1e300, { a: null }] }) })
    .execute()
  await writeBackup(db, { file, readKeys: noKeys })
  savedManifest = (await readBackup(file)).manifest
})
afterAll(() => auditDesk.desk[Symbol.asyncDispose]())

async function restoreInto(target: Db, from: string): Promise<number> {
  const { manifest, rows } = await readBackup(from)
  return restoreTables(target, manifest, rows())
}

/** A backup with valid hashes, and one file that no service wrote. */
function craftedBackup(crafted: ArchivedFile): Buffer {
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  const file = { path: crafted.path, bytes: crafted.bytes.length, sha256: sha256(crafted.bytes) }
  const list = Buffer.from(JSON.stringify({ ...savedManifest, files: [file] }))
  return Buffer.concat([
    archiveFile(crafted),
    archiveFile({ path: manifestName, bytes: list }),
    archiveFile({ path: manifestHashName, bytes: Buffer.from(sha256(list)) }),
    archiveEnd,
  ])
}

/** Every row of every table as Postgres writes it. */
async function contentsOf(of: Db): Promise<Map<string, string[]>> {
  return withSnapshot(of, async (tx) => {
    const tables = new Map<string, string[]>()
    for (const { name } of await readShapes(tx)) {
      const { rows } = await sql<{ row: string }>`
        select (to_jsonb(t) - 'restored_at')::text as row from ${sql.table(name)} t order by 1
      `.execute(tx)
      tables.set(
        name,
        rows.map(({ row }) => row),
      )
    }
    return tables
  })
}

async function isEmpty({ db: other }: TestDatabase): Promise<boolean> {
  const { rows } = await sql<{ tables: number }>`
    select count(*)::int as tables from pg_class where relnamespace = 'public'::regnamespace
  `.execute(other)
  return rows[0]?.tables === 0
}

// Rules: security.md 29
it('that is restored twice at the same time is there once, and the other restore says why not', async () => {
  await using target = await createEmptyDatabase()
  const restores = [1, 2].map(() => restoreInto(target.db, file))
  const outcomes = await Promise.allSettled(restores)
  const refused = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [String(outcome.reason)] : [],
  )
  expect(refused).toEqual([expect.stringContaining('The database is not empty')])
  expect(await contentsOf(target.db)).toEqual(await contentsOf(db))
})

describe('a restored backup', () => {
  let target: TestDatabase
  let restoredRows: number

  beforeAll(async () => {
    target = await createEmptyDatabase()
    restoredRows = await restoreInto(target.db, file)
  })
  afterAll(() => target[Symbol.asyncDispose]())

  it('has every row as it was, continues where it stopped, and has a trail that verifies', async () => {
    const before = await contentsOf(db)
    const after = await contentsOf(target.db)
    expect(after).toEqual(before)
    expect(restoredRows).toBe([...before.values()].flat().length)
    expect(restoredRows).toBeGreaterThan(100)

    const added = await target.db
      .insertInto('outbox')
      .values({ run_id: null, kind: 'next', payload: toJsonb({}) })
      .returning('id')
      .executeTakeFirstOrThrow()
    const { last } = await db
      .selectFrom('outbox')
      .select(sql<string>`max(id)`.as('last'))
      .executeTakeFirstOrThrow()
    expect(BigInt(added.id)).toBe(BigInt(last) + 1n)

    const { signer, desk } = auditDesk
    const evidence = await exportOf(target.db, signer, desk.api.verifier)
    const verdicts = verifyLog(evidence, signer.key, null)
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(Array(6).fill('holds'))
  })

  it('keeps its protections: events are still append-only and still wait for their leaf', async () => {
    await expect(target.db.deleteFrom('audit_event').execute()).rejects.toThrow('append-only')
    await expect(sql`truncate audit_leaf`.execute(target.db)).rejects.toThrow('append-only')
    const orphan = target.db.insertInto('claim').values({
      request_id: '00000000-0000-7000-8000-000000000000',
      person_id: auditDesk.desk.people.ada.id,
      lease_until: new Date(),
    })
    await expect(orphan.execute()).rejects.toThrow('foreign key')
    const waiting = () => target.db.selectFrom('audit_unsequenced').selectAll().execute()
    const before = (await waiting()).length
    const started = {
      type: 'system.started',
      actor: { type: 'system' },
      channel: 'system',
    } as const
    await target.db
      .transaction()
      .execute((tx) => writeRecords(tx, { audit: [{ ...started, detail: {} }] }, null))
    expect(await waiting()).toHaveLength(before + 1)
  })

  it('starts no work until somebody has accepted it, which raises the epoch', async () => {
    await expect(checkNotRestored(folder, target.db)).rejects.toThrow('countersign doctor --repair')
    const ctx = { ...auditDesk.desk.api, db: target.db }
    expect(await raiseEpoch(ctx, { namespaceId: null, lost: { mayHaveRun: [] } })).toMatchObject({
      epoch: 2,
    })
    await checkNotRestored(folder, target.db)
  })
})

describe('a backup', () => {
  it('has one moment in all of its tables, whatever is committed while it is made', async () => {
    const { manifest } = await readBackup(file)
    await withSnapshot(db, async (tx) => {
      const shapes = await readShapes(tx)
      await aside(() =>
        db
          .insertInto('outbox')
          .values({ run_id: null, kind: 'meanwhile', payload: toJsonb({}) })
          .execute(),
      )
      for (const shape of shapes.filter(({ name }) => name === 'outbox')) {
        let rows = 0
        for await (const part of readRows(tx, shape)) {
          rows += part.rows
          expect(part.text).not.toContain('meanwhile')
        }
        expect(rows).toBe(manifest.tables.find(({ name }) => name === 'outbox')?.rows)
      }
    })
    await db.deleteFrom('outbox').where('kind', '=', 'meanwhile').execute()
  })

  it('has no large part, even where large rows follow hundreds of small ones', async () => {
    const rows = (count: number, text: string) =>
      Array.from({ length: count }, () => ({ run_id: null, kind: 'mixed', payload: toJsonb(text) }))
    await db.insertInto('outbox').values(rows(600, 'small')).execute()
    await db
      .insertInto('outbox')
      .values(rows(8, 'x'.repeat(2_000_000)))
      .execute()
    await withSnapshot(db, async (tx) => {
      const shape = (await readShapes(tx)).find(({ name }) => name === 'outbox')
      if (shape === undefined) throw new Error('There is no outbox')
      let saved = 0
      for await (const part of readRows(tx, shape)) {
        expect(part.text.length).toBeLessThan(5_000_000)
        saved += part.text.split('"mixed"').length - 1
      }
      expect(saved).toBe(608)
    })
    await db.deleteFrom('outbox').where('kind', '=', 'mixed').execute()
  })

  it('has the keys of its moment: keys that are rotated while it begins are those that signed its rows', async () => {
    const other = join(folder, 'rotated.backup')
    const keyOf = (text: string) => [{ path: 'keys/public/1.pem', bytes: Buffer.from(text) }]
    const read = ['old', 'new', 'new', 'new']
    const readKeys = async () => {
      const key = read.shift() ?? ''
      // What the new key signs is there before the snapshot.
      if (read.length === 3)
        await db
          .insertInto('outbox')
          .values({ run_id: null, kind: 'signed anew', payload: toJsonb({}) })
          .execute()
      return keyOf(key)
    }
    await writeBackup(db, { file: other, readKeys })
    const { keys, rows } = await readBackup(other)
    expect(keys).toEqual(keyOf('new'))
    const texts: string[] = []
    for await (const { table, text } of rows()) if (table === 'outbox') texts.push(text)
    expect(texts.join('').split('signed anew')).toHaveLength(2)
    await db.deleteFrom('outbox').where('kind', '=', 'signed anew').execute()
  })

  it('of a database that a newer version has migrated is refused, with what to do', async () => {
    await addNewerMigration(db)
    const other = join(folder, 'newer.backup')
    await expect(writeBackup(db, { file: other, readKeys: noKeys })).rejects.toThrow(newerSentence)
    await sql`delete from kysely_migration where name = ${newerMigration}`.execute(db)
    expect(await readdir(folder)).not.toContain('newer.backup')
  })

  it('is made although one of a killed process with the same id, as in a container, has left its half', async () => {
    const other = join(folder, 'again.backup')
    await writeFile(`${other}.${process.pid}.new`, 'half')
    await writeBackup(db, { file: other, readKeys: noKeys })
    expect((await readBackup(other)).manifest.tables).toHaveLength(savedManifest.tables.length)
  })

  it('is readable by its owner only, and never overwrites another file', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const before = await readFile(file)
    await expect(writeBackup(db, { file, readKeys: noKeys })).rejects.toThrow('is not overwritten')
    expect(await readFile(file)).toEqual(before)
  })

  it('is refused, and nothing is changed, when any of its bytes differs or its end is missing', async () => {
    const whole = await readFile(file)
    const other = join(folder, 'damaged.backup')
    const random = seededChoices(11)
    for (let round = 0; round < 60; round += 1) {
      const bytes = Buffer.from(whole)
      const place = random.number(bytes.length - 1_024)
      bytes[place] = (bytes[place] ?? 0) ^ (1 << random.number(8))
      await writeFile(other, bytes)
      const verdict = await readBackup(other).then(
        ({ manifest }) => manifest,
        (error: unknown) => String(error),
      )
      // The bytes that pad a file of the archive to whole blocks are part of no file.
      if (typeof verdict !== 'string') expect(verdict).toEqual((await readBackup(file)).manifest)
      else expect(verdict).toMatch(/is damaged or not a backup|does not know/)
    }
    for (const length of [0, 511, 5_000, whole.length - 2_048]) {
      await writeFile(other, whole)
      await truncate(other, length)
      await expect(readBackup(other)).rejects.toThrow('is damaged or not a backup')
    }
    await expect(readBackup(join(folder, 'none'))).rejects.toThrow('cannot be read (ENOENT)')
  })

  it('is refused when a part expands beyond the largest that is ever written, or its keys are invalid', async () => {
    const other = join(folder, 'crafted.backup')
    const zeros = zstdCompressSync(Buffer.alloc(64 * 1024 * 1024))
    const bomb = Buffer.concat(Array.from({ length: 9 }, () => zeros))
    await writeFile(other, craftedBackup({ path: partName('outbox', 1), bytes: bomb }))
    await using target = await createEmptyDatabase()
    await expect(restoreInto(target.db, other)).rejects.toThrow('00000001.jsonl.zst cannot be')
    expect(await isEmpty(target)).toBe(true)

    const key = { path: 'keys/signing.pem', bytes: Buffer.alloc(1024 * 1024 + 1) }
    await writeFile(other, craftedBackup(key))
    await expect(readBackup(other)).rejects.toThrow('its keys have over 1048576 bytes')
  })

  it('is restored whole or not at all', async () => {
    await using target = await createEmptyDatabase()
    const { manifest, rows } = await readBackup(file)
    const without = async function* (table: string): AsyncGenerator<SavedRows> {
      for await (const part of rows()) if (part.table !== table) yield part
    }
    await expect(restoreTables(target.db, manifest, without('person'))).rejects.toThrow(
      'foreign key',
    )
    expect(await isEmpty(target)).toBe(true)
    const renamed = manifest.tables.map((table) =>
      table.name === 'claim' ? { ...table, name: 'claims' } : table,
    )
    await expect(
      restoreTables(target.db, { ...manifest, tables: renamed }, rows()),
    ).rejects.toThrow('is not the one that its migrations make')
    expect(await isEmpty(target)).toBe(true)
  })

  // Rules: security.md 10
  it('is not restored from a file that was exchanged after it had been checked', async () => {
    const checked = join(folder, 'checked.backup')
    const other = join(folder, 'exchanged.backup')
    await copyFile(file, checked)
    const { manifest, rows } = await readBackup(checked)
    await db
      .insertInto('outbox')
      .values({ run_id: null, kind: 'slipped in', payload: toJsonb({}) })
      .execute()
    await writeBackup(db, { file: other, readKeys: noKeys })
    await db.deleteFrom('outbox').where('kind', '=', 'slipped in').execute()
    await rename(other, checked)
    await using target = await createEmptyDatabase()
    await expect(restoreTables(target.db, manifest, rows())).rejects.toThrow(
      /is damaged or not a backup: .*The database was not changed/,
    )
    expect(await isEmpty(target)).toBe(true)
  })

  it('is not restored into a place that is not empty, or by a version that does not know its schema', async () => {
    const before = await contentsOf(db)
    await expect(restoreInto(db, file)).rejects.toThrow('The database is not empty')
    expect(await contentsOf(db)).toEqual(before)
    await using target = await createEmptyDatabase()
    const { manifest, rows } = await readBackup(file)
    const newer = { ...manifest, migrations: [...manifest.migrations, newerMigration] }
    await expect(restoreTables(target.db, newer, rows())).rejects.toThrow(
      `is of a newer version (${newerMigration})`,
    )
    const gap = { ...manifest, migrations: manifest.migrations.slice(1) }
    await expect(restoreTables(target.db, gap, rows())).rejects.toThrow('have gaps')
    expect(await isEmpty(target)).toBe(true)
  })
})

it('a backup whose connection the database ends leaves no file, and says to run the command again', async () => {
  const lost = join(folder, 'lost.backup')
  const readKeys = async () => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'countersign backup'`.execute(db)
    return []
  }
  const write = (own: typeof db) => writeBackup(own, { file: lost, readKeys })
  const backup = withConnection(auditDesk.desk.database.url, write, false)
  await expect(backup).rejects.toThrow('run the command again once it answers')
  expect((await readdir(folder)).filter((name) => name.startsWith('lost'))).toEqual([])
})
