import { logFileNames, logPartNames, partPath } from '#evidence/bundle/log-files.ts'
import type { ArchivedFile } from '#evidence/bundle/tar.ts'
import { hashBytesLong, leafHash } from '#evidence/merkle/tree-hash.ts'
import { encodeEntries } from '#evidence/tiles/entry-bundle.ts'
import {
  entriesPath,
  tilePath,
  tilesOfLevel,
  tileWidth,
  type Tile,
} from '#evidence/tiles/tile-path.ts'
import {
  readNewestCheckpoint,
  readWholeTile,
  type StoredCheckpoint,
} from '#store/audit/audit-log.ts'
import { readCosignatures } from '#store/audit/witnesses.ts'
import {
  readCheckpoints,
  readLeavesUnchecked,
  readMisfiled,
  readStrayTiles,
  readTileRootsUnchecked,
  readUncovered,
} from '#store/audit/audit-log-export.ts'
import type { Db } from '#store/database.ts'
import { readHandovers } from '#store/installation-keys.ts'
import { readAllStatements } from './read-statements.ts'

const pageSize = 1000
/** More events than ever wait for the log; the number beyond it says nothing more. */
const maxUncovered = 10_000

/**
 * The whole log as the files of a full export: C2SP tlog-tiles, statements and keys. It exports
 * what is stored even if somebody tampered with it: the verifier judges that. A missing event is
 * empty.
 */
export async function* logAsFiles(
  db: Db,
  keysNote: string,
): AsyncGenerator<ArchivedFile, void, undefined> {
  const newest = await readNewestCheckpoint(db)
  const size = newest?.size ?? 0
  if (newest !== null) {
    const [note = newest.note] = await withCosignatures(db, [newest])
    yield fileOf(logFileNames.checkpoint, note)
  }
  yield fileOf(logFileNames.keys, keysNote)
  for (const tile of tilesOfLevel(0, size)) {
    const begin = tile.index * tileWidth
    const documents = await readLeavesUnchecked(db, begin, begin + tile.width)
    const entries = documents.map((document) => Buffer.from(document ?? ''))
    yield { path: entriesPath(tile), bytes: encodeEntries(entries) }
    const hashes = await hashesOf(db, tile, () => entries.map((entry) => leafHash(entry)))
    if (hashes !== null) yield { path: tilePath(tile), bytes: hashes }
  }
  for (let level = 1; tileWidth ** level <= size; level += 1) {
    for (const tile of tilesOfLevel(level, size)) {
      const begin = tile.index * tileWidth
      const hashes = await hashesOf(db, tile, () =>
        readTileRootsUnchecked(db, level - 1, begin, begin + tile.width),
      )
      if (hashes !== null) yield { path: tilePath(tile), bytes: hashes }
    }
  }
  yield* inParts(logPartNames.checkpoints, checkpointPages(db, size))
  yield* inParts(logPartNames.statements, readAllStatements(db, pageSize))
  const handovers = await readHandovers(db)
  if (handovers.length > 0) yield linesOf(partPath(logPartNames.handovers, 0), handovers)
  const uncovered = await readUncovered(db, maxUncovered)
  if (uncovered.length > 0) yield linesOf(partPath(logPartNames.uncovered, 0), uncovered)
  const stray = await readStrayTiles(db, size, maxUncovered)
  const paths = stray.map((tile) => tilePath({ ...tile, width: tileWidth }))
  if (paths.length > 0) yield linesOf(partPath(logPartNames.stray, 0), paths)
  const misfiled = await readMisfiled(db, maxUncovered)
  if (misfiled.length > 0) yield linesOf(partPath(logPartNames.misfiled, 0), misfiled)
}

/** A tile's hashes: stored if whole (`null`: missing), else computed from those below. */
async function hashesOf(
  db: Db,
  { level, index, width }: Tile,
  below: () => Promise<(Buffer | null)[]> | Buffer[],
): Promise<Buffer | null> {
  if (width === tileWidth) return readWholeTile(db, level, index)
  return Buffer.concat((await below()).map((hash) => hash ?? Buffer.alloc(hashBytesLong)))
}

async function* checkpointPages(db: Db, size: number): AsyncGenerator<string[], void, undefined> {
  for (let after = -1; ;) {
    const page = await readCheckpoints(db, after, pageSize)
    const checkpoints = page.filter((checkpoint) => checkpoint.size <= size)
    if (checkpoints.length > 0) yield await withCosignatures(db, checkpoints)
    const last = page.at(-1)
    if (page.length < pageSize || last === undefined || last.size > size) return
    after = last.size
  }
}

/** Notes of checkpoints, with the signature lines of the witnesses that cosigned them. */
async function withCosignatures(
  db: Db,
  checkpoints: readonly StoredCheckpoint[],
): Promise<string[]> {
  const lines = await readCosignatures(
    db,
    checkpoints.map(({ size }) => size),
  )
  return checkpoints.map(({ size, note }) => note + (lines.get(size) ?? []).join(''))
}

async function* inParts(
  name: string,
  pages: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<ArchivedFile, void, undefined> {
  let part = 0
  for await (const page of pages) {
    yield linesOf(partPath(name, part), page)
    part += 1
  }
}

function linesOf(path: string, values: readonly unknown[]): ArchivedFile {
  return fileOf(path, values.map((value) => `${JSON.stringify(value)}\n`).join(''))
}

function fileOf(path: string, text: string): ArchivedFile {
  return { path, bytes: Buffer.from(text) }
}
