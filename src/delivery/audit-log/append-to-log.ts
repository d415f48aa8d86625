import {
  formatCheckpoint,
  openCheckpoint,
  parseCheckpoint,
  type Checkpoint,
} from '#evidence/note/checkpoint.ts'
import { formatNote, parseNote, signText, type NoteSigner } from '#evidence/note/signed-note.ts'
import { isSameHash } from '#evidence/merkle/tree-hash.ts'
import { treeRoot } from '#evidence/merkle/tree-of-leaves.ts'
import { rangeHash } from '#evidence/merkle/tree-range.ts'
import { tileWidth } from '#evidence/tiles/tile-path.ts'
import { loadTree } from '#services/audit/log/stored-tree.ts'
import {
  readLeafHashes,
  readNewestCheckpoint,
  readTileRoots,
  readUnsequenced,
  writeCheckpoint,
  writeLeaves,
  writeTiles,
} from '#store/audit/audit-log.ts'
import type { Tx } from '#store/database.ts'

/** The most events of one transaction and checkpoint. */
export const leavesAtOnce = 1000

/**
 * The signers of a checkpoint when the key is replaced: the new one, and the previous one; `null`:
 * it is lost.
 */
export interface HandoverSigners {
  readonly after: NoteSigner
  readonly before: NoteSigner | null
}

/**
 * Appends the events that wait to the log: leaves, the tiles that they complete and a signed
 * checkpoint, in the caller's transaction. Returns how many. The leaf's index is unique: of two
 * concurrent callers one commits, and the other rejects with a unique violation. Rejects, and signs
 * nothing, when the tree is not the one that the newest checkpoint signed.
 */
export async function appendToLog(tx: Tx, signer: NoteSigner): Promise<number> {
  return append(tx, [signer], (note) => openCheckpoint(note, signer.key))
}

/**
 * The same when the log's key is replaced: both keys sign. If the previous key is lost, only the
 * root of its last checkpoint is compared.
 */
export async function appendHandover(tx: Tx, { after, before }: HandoverSigners): Promise<number> {
  if (before === null) return append(tx, [after], (note) => parseCheckpoint(parseNote(note).text))
  return append(tx, [after, before], (note) => openCheckpoint(note, before.key))
}

async function append(
  tx: Tx,
  signers: readonly [NoteSigner, ...NoteSigner[]],
  open: (note: string) => Checkpoint,
): Promise<number> {
  const events = await readUnsequenced(tx, leavesAtOnce)
  if (events.length === 0) return 0
  const from = await checkedSize(tx, open)
  const size = from + events.length
  await writeLeaves(tx, from, events)
  await completeTiles(tx, from, size)
  const range = { begin: 0, end: size }
  const root = rangeHash(range, await loadTree(tx, size, [range]))
  const origin = signers[0].key.name
  const text = formatCheckpoint({ origin, size, root, extensions: [] })
  const note = formatNote({ text, signatures: signers.map((signer) => signText(text, signer)) })
  await writeCheckpoint(tx, { size, note })
  return events.length
}

/** The size that the newest checkpoint signed, whose root the tree still has. */
async function checkedSize(tx: Tx, open: (note: string) => Checkpoint): Promise<number> {
  const newest = await readNewestCheckpoint(tx)
  if (newest === null) return 0
  const { size, root } = open(newest.note)
  const range = { begin: 0, end: size }
  const storedHash = rangeHash(range, await loadTree(tx, size, [range]))
  if (size !== newest.size || !isSameHash(storedHash, root)) {
    throw new Error(
      `The trail differs from what the checkpoint of ${newest.size} events signed: it was changed outside of the service`,
    )
  }
  return size
}

/** Stores the tiles that became whole between two sizes of the tree, the lowest first. */
async function completeTiles(tx: Tx, from: number, size: number): Promise<void> {
  for (let level = 0; tileWidth ** (level + 1) <= size; level += 1) {
    const leavesOfTile = tileWidth ** (level + 1)
    const [first, end] = [Math.floor(from / leavesOfTile), Math.floor(size / leavesOfTile)]
    for (let index = first; index < end; index += 1) {
      const begin = index * tileWidth
      const hashes =
        level === 0
          ? await readLeafHashes(tx, begin, begin + tileWidth)
          : await readTileRoots(tx, level - 1, begin, begin + tileWidth)
      await writeTiles(tx, [
        { level, index, root: treeRoot(hashes), hashes: Buffer.concat(hashes) },
      ])
    }
  }
}
