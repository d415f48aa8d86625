import { countWords } from '#domain/text/quantities/count-words.ts'
import { isSameHash, hashBytesLong } from '../../merkle/tree-hash.ts'
import { rangeHash } from '../../merkle/tree-range.ts'
import type { LogFiles } from '../../bundle/log-files.ts'
import type { Checkpoint } from '../../note/checkpoint.ts'
import { tileHeight, tilePath, tilesOfLevel, tileWidth } from '../../tiles/tile-path.ts'
import type { CompactTree } from './compact-tree.ts'
import type { Findings } from '../findings/finding.ts'

/**
 * Integrity of a full export: the tree over the events has the exported tiles and the signed roots.
 * `checkpoints`: all of them, the smallest first; they show between which two the first change
 * lies.
 */
export function checkTree(
  findings: Findings,
  files: LogFiles,
  tree: CompactTree,
  checkpoints: readonly Checkpoint[],
): void {
  const size = checkpoints.at(-1)?.size ?? tree.size
  let tiles = 0
  for (let level = 0; tileWidth ** level <= size; level += 1) {
    for (const tile of tilesOfLevel(level, size)) {
      const path = tilePath(tile)
      const storedTile = files.read(path)
      tiles += 1
      if (storedTile === null) {
        findings.fail(`${path} is missing`)
        continue
      }
      const computed = tree.hashes(level * tileHeight, tile.index * tileWidth, tile.width)
      if (isSameHash(storedTile, computed)) continue
      const index = differentHash(storedTile, computed) + tile.index * tileWidth
      if (level === 0) {
        findings.fail(`its bytes are not those that ${path} has the hash of`, {
          event: { index },
        })
      } else {
        const leaves = tileWidth ** level
        const range = `events ${index * leaves} to ${(index + 1) * leaves - 1}`
        findings.fail(`${path} has another hash of ${range} than they have`)
      }
    }
  }
  let good = 0
  for (const checkpoint of checkpoints) {
    if (checkpoint.size > tree.size) {
      findings.fail(
        `a checkpoint covers ${countWords(checkpoint.size, 'event')}, and ${tree.size} are here`,
      )
      return
    }
    const root = rangeHash({ begin: 0, end: checkpoint.size }, tree.nodeAt)
    if (!isSameHash(root, checkpoint.root)) {
      const range = `events ${good} to ${checkpoint.size - 1}`
      const problem = `${range} are not those that the checkpoint of ${checkpoint.size} events signed`
      findings.fail(problem, { event: { index: good } })
      return
    }
    good = checkpoint.size
  }
  findings.describe(
    `${countWords(tree.size, 'event')}, ${countWords(tiles, 'tile')} and ${countWords(checkpoints.length, 'checkpoint')} hash to the signed root`,
  )
}

/** The index of the first hash in which two tiles differ. */
function differentHash(one: Uint8Array, other: Uint8Array): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return Math.floor(at / hashBytesLong)
}
