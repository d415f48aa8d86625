import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { sql, type RawBuilder } from 'kysely'
import type { ContentTable } from '../tables/content.ts'
import { hashBytes } from '#domain/json/digest.ts'
import type { Db, Tx } from '../database.ts'

/** Stored bytes do not match their hash: they were changed in the database. */
export class ContentChanged extends Error {
  override readonly name = 'ContentChanged'

  constructor(hash: string) {
    super(`Content ${hash} was changed in the database`)
  }
}

/** Stored bytes were removed because nothing referred to them, or erased on a person's order. */
export class ContentRemoved extends Error {
  override readonly name = 'ContentRemoved'

  constructor(hash: string) {
    super(`Content ${hash} was removed`)
  }
}

/**
 * No larger content is stored or read. Otherwise somebody who writes rows could make a few bytes
 * decompress to more memory than a process has.
 */
const maxBytes = 256 * 1024 * 1024
/** Below this size compression costs more than it saves. */
const compressFromBytes = 256
/** Up to this size thorough compression takes a millisecond. */
const thoroughToBytes = 32 * 1024
const thorough = { params: { [constants.ZSTD_c_compressionLevel]: 12 } }
/** Takes twice the time of the default level, and the next one takes a third more for little. */
const quick = { params: { [constants.ZSTD_c_compressionLevel]: 5 } }

/**
 * Stores bytes by their SHA-256 and returns the hash. Storing the same bytes again changes nothing.
 * Call it inside the transaction of the row that refers to it.
 */
export async function putContent(db: Db | Tx, value: Uint8Array | string): Promise<string> {
  const [hash] = await putContents(db, [value])
  if (hash === undefined) throw new Error('Content was not stored')
  return hash
}

/** The same for several, in one query; the hashes come in their order. */
export async function putContents(
  db: Db | Tx,
  values: readonly (Uint8Array | string)[],
): Promise<readonly string[]> {
  const packed = packContents(values)
  await storeContents(db, [packed])
  return packed.hashes
}

/** Bytes to store, by a statement of their own or with rows that refer to them. */
export interface PackedContents {
  /** in the order of the values */
  readonly hashes: readonly string[]
  readonly rows: readonly ReturnType<typeof contentRow>[]
}

/** Hashes and compresses what {@link storeContents} and {@link contentsToStore} store. */
export function packContents(values: readonly (Uint8Array | string)[]): PackedContents {
  const rows = values.map(contentRow)
  return { hashes: rows.map((row) => row.hash), rows }
}

/** Stores them all, in one query. Storing the same bytes again changes nothing. */
export async function storeContents(db: Db | Tx, packed: readonly PackedContents[]): Promise<void> {
  if (packed.every(({ rows }) => rows.length === 0)) return
  await sql`with ${contentsToStore(packed)} select`.execute(db)
}

/**
 * The same as several parts of a `with`, without a comma at the end, for a statement whose rows
 * refer to the hashes. Its text does not depend on how many contents there are, so that Postgres
 * keeps one plan for it. A transaction that removes one of the contents waits for the commit of
 * this one, and then finds the reference; this one waits for it, and then stores the bytes again.
 */
export function contentsToStore(packed: readonly PackedContents[]): RawBuilder<unknown> {
  // Sorted, so that two transactions that store the same contents do not deadlock.
  const sorted = packed
    .flatMap((one) => one.rows)
    .toSorted((one, other) => (one.hash < other.hash ? -1 : 1))
  let end = 1
  const places = sorted.map(({ hash, encoding, size, bytes }) => {
    const start = end
    end += bytes.length
    return { hash, encoding, size, start, length: bytes.length }
  })
  // One parameter, which is sent as it is: an array of bytes is sent as text of twice their size.
  const bytes = Buffer.concat(sorted.map((row) => row.bytes))
  // This also restores bytes that were removed before (drop-content.ts). A row that this waited for
  // is the one that the removal has left, and not that of the snapshot. The condition on the list
  // finds them by the index: for the join alone, a plan for a small table reads all of it.
  return sql`
    contents as (
      select hash, encoding, size, substring(${bytes}::bytea from start for length) as bytes
      from jsonb_to_recordset(${JSON.stringify(places)}::jsonb)
        as places(hash text, encoding text, size integer, start integer, length integer)
    ), locked_contents as materialized (
      select hash, encoding from content where hash = any(array(select hash from contents))
      order by hash for key share
    ), restored_contents as (
      update content set encoding = contents.encoding, bytes = contents.bytes
      from contents join locked_contents using (hash)
      where content.hash = contents.hash and locked_contents.encoding = 'removed'
        and content.hash = any(array(select hash from contents))
    ), stored_contents as (
      insert into content (hash, encoding, size, bytes) select hash, encoding, size, bytes from contents
      on conflict (hash) do nothing
    )`
}

function contentRow(value: Uint8Array | string) {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : Buffer.from(value)
  if (bytes.length > maxBytes) throw new Error(`Content has over ${maxBytes} bytes`)
  const packed = bytes.length >= compressFromBytes ? compress(bytes) : bytes
  const smaller = packed.length < bytes.length
  const encoding = smaller ? ('zstd' as const) : ('identity' as const)
  return { hash: hashBytes(bytes), encoding, size: bytes.length, bytes: smaller ? packed : bytes }
}

function compress(bytes: Buffer): Buffer {
  // A result that is not smaller is dropped, so that the buffer need not be larger than the bytes.
  return bytes.length <= thoroughToBytes
    ? zstdCompressSync(bytes, { ...thorough, chunkSize: bytes.length })
    : zstdCompressSync(bytes, quick)
}

/** The bytes of a hash. Rejects if they are missing or not what the hash says. */
export async function getContent(db: Db | Tx, hash: string): Promise<Buffer> {
  const row = await db
    .selectFrom('content')
    .select(['encoding', 'bytes'])
    .where('hash', '=', hash)
    .executeTakeFirst()
  if (row === undefined) throw new Error(`Content ${hash} is not stored`)
  return unpack(hash, row)
}

/** The texts of several hashes, in one query. Rejects as {@link getContent} does. */
export async function getTexts(
  db: Db | Tx,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const contents = await getContents(db, hashes)
  return new Map(Array.from(contents, ([hash, bytes]) => [hash, bytes.toString('utf8')]))
}

/** The texts of several hashes, in one query, without those that were removed. */
export async function getRemainingTexts(
  db: Db | Tx,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await getRemainingRows(db, hashes)
  return new Map(rows.map((row) => [row.hash, textOfRow(row)]))
}

/** The rows of several hashes, in one query, without those that were removed, for `textOfRow`. */
export async function getRemainingRows(
  db: Db | Tx,
  hashes: readonly string[],
): Promise<readonly (PackedContent & { readonly hash: string })[]> {
  return (await readPacked(db, hashes)).filter(({ encoding }) => encoding !== 'removed')
}

/** The bytes of several hashes, in one query. Rejects as {@link getContent} does. */
export async function getContents(
  db: Db | Tx,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await readPacked(db, hashes)
  const contents = new Map(rows.map((row) => [row.hash, unpack(row.hash, row)]))
  const missing = hashes.find((hash) => !contents.has(hash))
  if (missing !== undefined) throw new Error(`Content ${missing} is not stored`)
  return contents
}

export type PackedContent = Readonly<Pick<ContentTable, 'encoding' | 'bytes'>>

/** The stored rows of these hashes, in one query; none for an empty list. */
async function readPacked(
  db: Db | Tx,
  hashes: readonly string[],
): Promise<(PackedContent & { readonly hash: string })[]> {
  if (hashes.length === 0) return []
  return db
    .selectFrom('content')
    .select(['hash', 'encoding', 'bytes'])
    .where('hash', 'in', [...new Set(hashes)])
    .execute()
}

function unpack(hash: string, row: PackedContent): Buffer {
  if (row.encoding === 'removed') throw new ContentRemoved(hash)
  const bytes = row.encoding === 'zstd' ? decompressContent(hash, row.bytes) : row.bytes
  if (hashBytes(bytes) !== hash) throw new ContentChanged(hash)
  return bytes
}

function decompressContent(hash: string, bytes: Buffer): Buffer {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: maxBytes })
  } catch {
    throw new ContentChanged(hash)
  }
}

/** The text of a stored row (UTF-8). Rejects as {@link getContent} does. */
export function textOfRow(row: PackedContent & { readonly hash: string }): string {
  return unpack(row.hash, row).toString('utf8')
}

/** The text of a hash (UTF-8). */
export async function getText(db: Db | Tx, hash: string): Promise<string> {
  return (await getContent(db, hash)).toString('utf8')
}
