import { constants } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { zstdDecompressSync } from 'node:zlib'
import { errorMessage } from '#domain/error-message.ts'
import { filesOfArchive, type ArchivedFile } from '#evidence/bundle/tar.ts'
import type { SavedRows } from '#store/backup/restore-tables.ts'
import { isKeyPath, type KeyFile } from './key-files.ts'
import {
  manifestHashName,
  manifestName,
  manifestSchema,
  sha256,
  tableOfPart,
  type Manifest,
} from './manifest.ts'

/** All keys together; a key has a few hundred bytes. */
const maxKeyBytes = 1024 * 1024

/** A backup that was read completely once, with every hash compared. */
export interface CheckedBackup {
  readonly manifest: Manifest
  readonly keys: readonly KeyFile[]
  /** Reads the rows, for which the file is read again. */
  rows(): AsyncIterable<SavedRows>
}

/** Reads a whole backup. Rejects with a sentence if it is damaged, cut, or not a backup. */
export async function readBackup(file: string): Promise<CheckedBackup> {
  const files: Manifest['files'] = []
  const keys: KeyFile[] = []
  const ends = new Map<string, Buffer>()
  let keyBytes = 0
  for await (const { path, bytes } of archivedFile(file)) {
    if (path === manifestName || path === manifestHashName) {
      ends.set(path, Buffer.from(bytes))
      continue
    }
    if (isKeyPath(path)) {
      keyBytes += bytes.length
      if (keyBytes > maxKeyBytes) throw damageError(file, `its keys have over ${maxKeyBytes} bytes`)
      keys.push({ path, bytes: Buffer.from(bytes) })
    } else if (tableOfPart(path) === null) throw damageError(file, `${path} belongs to no backup`)
    files.push({ path, bytes: bytes.length, sha256: sha256(bytes) })
  }
  const manifest = readManifest(file, ends)
  const changed = manifest.files.find((entry, index) => !isDeepStrictEqual(entry, files[index]))
  if (changed !== undefined) throw damageError(file, `${changed.path} is not what was saved`)
  if (files.length !== manifest.files.length)
    throw damageError(file, 'it has files that its manifest does not list')
  return { manifest, keys, rows: () => rowsOf(file, manifest.files) }
}

/** Compares the hashes again: the file may have been exchanged since it was checked. */
async function* rowsOf(file: string, files: Manifest['files']): AsyncGenerator<SavedRows> {
  let next = 0
  for await (const { path, bytes } of archivedFile(file)) {
    if (path === manifestName || path === manifestHashName) continue
    const entry = { path, bytes: bytes.length, sha256: sha256(bytes) }
    if (!isDeepStrictEqual(entry, files[next]))
      throw damageError(file, `${path} is not what was saved`)
    next += 1
    const table = tableOfPart(path)
    if (table !== null) yield { table, text: textOfPart(file, path, bytes) }
  }
  if (next !== files.length) throw damageError(file, 'its end is missing')
}

/**
 * A part was one string when it was written, with at most three bytes for each of its units. Bytes
 * that expand to more are refused.
 */
function textOfPart(file: string, path: string, bytes: Uint8Array): string {
  try {
    const maxOutputLength = 3 * constants.MAX_STRING_LENGTH
    return zstdDecompressSync(bytes, { maxOutputLength }).toString('utf8')
  } catch (cause) {
    throw damageError(file, `${path} cannot be decompressed (${errorMessage(cause)})`)
  }
}

async function* archivedFile(file: string): AsyncGenerator<ArchivedFile> {
  const chunks = createReadStream(file, { highWaterMark: 1024 * 1024 })
  try {
    yield* filesOfArchive(chunks)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code !== undefined) throw new Error(`${file} cannot be read (${code})`, { cause })
    throw damageError(file, message)
  }
}

function readManifest(file: string, ends: ReadonlyMap<string, Buffer>): Manifest {
  const bytes = ends.get(manifestName)
  if (bytes === undefined || !ends.has(manifestHashName)) {
    throw damageError(file, 'its end is missing')
  }
  if (ends.get(manifestHashName)?.toString('utf8').trim() !== sha256(bytes)) {
    throw damageError(file, `${manifestName} differs from what was saved`)
  }
  const manifest = manifestSchema.safeParse(JSON.parse(bytes.toString('utf8')))
  if (manifest.success) return manifest.data
  throw new Error(`${file} is a backup in a format that this version does not know`)
}

function damageError(file: string, why: string): Error {
  return new Error(`${file} is damaged or not a backup: ${why}. The database was not changed`)
}
