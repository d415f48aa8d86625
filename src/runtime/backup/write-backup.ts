import { errorCode } from '#domain/error-code.ts'
import { randomUUID } from 'node:crypto'
import { link, open, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { zstdCompressSync } from 'node:zlib'
import { flushFolder } from '../files.ts'
import { version } from '../version.ts'
import { archiveEnd, archiveFile } from '#evidence/bundle/tar.ts'
import { describeNewer, readMigrations } from '#store/migrating/applied-migrations.ts'
import { readSequences, readShapes } from '#store/backup/catalog.ts'
import { readRows, withSnapshot } from '#store/backup/read-rows.ts'
import type { Db, Tx } from '#store/database.ts'
import { requireKnownMigrations } from '#store/backup/restore-tables.ts'
import type { KeyFile } from './key-files.ts'
import { isPrivateKey } from './key-files.ts'
import { manifestHashName, manifestName, partName, sha256, type Manifest } from './manifest.ts'

/**
 * Writes every table, read in one snapshot, and the keys of that moment into a new file that only
 * its owner can read. The file appears when all of it is on disk, and its name is there when this
 * resolves. Rejects when the file exists.
 */
export async function writeBackup(
  db: Db,
  options: { readonly file: string; readonly readKeys: () => Promise<readonly KeyFile[]> },
): Promise<void> {
  const half = `${options.file}.${randomUUID()}.new`
  const out = await open(half, 'wx', 0o600)
  try {
    while (!(await writeArchiveOnce(db, out, options.readKeys)));
    await out.sync()
    await link(half, options.file)
    await flushFolder(dirname(options.file))
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    throw new Error(
      `${options.file} already exists and is not overwritten: name a new file with --out`,
      { cause: error },
    )
  } finally {
    await out.close()
    await rm(half, { force: true })
  }
}

/**
 * False, and nothing is written: keys were rotated at the moment of the snapshot. Its rows may have
 * the signatures of keys that were not there before, or of some that are gone.
 */
async function writeArchiveOnce(
  db: Db,
  out: FileHandle,
  readKeys: () => Promise<readonly KeyFile[]>,
): Promise<boolean> {
  const keys = await readKeys()
  return withSnapshot(db, async (tx) => {
    if (!isDeepStrictEqual(await readKeys(), keys)) return false
    await writeArchive(tx, out, keys)
    return true
  })
}

async function writeArchive(tx: Tx, out: FileHandle, keys: readonly KeyFile[]): Promise<void> {
  const files: Manifest['files'] = []
  const add = async (path: string, bytes: Uint8Array): Promise<void> => {
    await out.appendFile(archiveFile({ path, bytes }))
    files.push({ path, bytes: bytes.length, sha256: sha256(bytes) })
  }
  const migrations = await readMigrations(tx)
  requireKnownMigrations(migrations, describeNewer)
  for (const { path, bytes } of keys) await add(path, bytes)
  const tables: Manifest['tables'] = []
  for (const shape of await readShapes(tx)) {
    let rows = 0
    let parts = 0
    for await (const part of readRows(tx, shape)) {
      rows += part.rows
      parts += 1
      await add(partName(shape.name, parts), zstdCompressSync(part.text))
    }
    tables.push({ ...shape, columns: [...shape.columns], rows })
  }
  const { rows: server } = await sql<{ now: Date; postgres: string }>`
    select transaction_timestamp() as now, current_setting('server_version') as postgres
  `.execute(tx)
  const manifest: Manifest = {
    format: 'countersign-backup',
    version: 1,
    madeAt: (server[0]?.now ?? new Date(0)).toISOString(),
    program: version,
    postgres: server[0]?.postgres ?? '',
    migrations,
    tables,
    sequences: await readSequences(tx),
    privateKeys: keys.some(({ path }) => isPrivateKey(path)),
    files,
  }
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)
  await out.appendFile(archiveFile({ path: manifestName, bytes }))
  const hash = Buffer.from(`${sha256(bytes)}\n`)
  await out.appendFile(archiveFile({ path: manifestHashName, bytes: hash }))
  await out.appendFile(archiveEnd)
}
