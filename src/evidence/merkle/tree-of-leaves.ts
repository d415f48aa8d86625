import { nodeHash } from './tree-hash.ts'
import { rangeHash, type NodeAt } from './tree-range.ts'

/** The tree over these leaf hashes, in memory: returns the hash of any complete subtree. */
export function treeOfLeaves(leafHashes: readonly Uint8Array[]): NodeAt {
  const levels: Uint8Array[][] = [[...leafHashes]]
  for (let below = levels[0] ?? []; below.length > 1;) {
    const level: Uint8Array[] = []
    for (let index = 0; index + 1 < below.length; index += 2) {
      level.push(nodeHash(hashIn(below, index), hashIn(below, index + 1)))
    }
    levels.push(level)
    below = level
  }
  return ({ level, index }) => hashIn(levels[level] ?? [], index)
}

/** Root of the tree over these leaf hashes (RFC 6962 2.1). */
export function treeRoot(leafHashes: readonly Uint8Array[]): Buffer {
  return rangeHash({ begin: 0, end: leafHashes.length }, treeOfLeaves(leafHashes))
}

function hashIn(hashes: readonly Uint8Array[], index: number): Uint8Array {
  const hash = hashes[index]
  if (hash === undefined) throw new RangeError(`The tree has no such subtree: ${index}`)
  return hash
}
