import { emptyTreeHash, nodeHash } from './tree-hash.ts'

/** A whole subtree: the leaves from `index * 2^level` on, `2^level` of them. Level 0 is a leaf. */
export interface TreeNode {
  readonly level: number
  readonly index: number
}

/** Leaves from `begin` to before `end` that RFC 6962 hashes as one subtree. */
export interface TreeRange {
  readonly begin: number
  readonly end: number
}

/** Looks up the hash of a whole subtree; throws where it is unknown. */
export type NodeAt = (node: TreeNode) => Uint8Array

/** The largest power of two below `count`, at which RFC 6962 splits. `count` ≥ 2. */
export function splitOf(count: number): number {
  let power = 1
  // Sizes exceed 2^31: arithmetic, not 32-bit operators.
  while (power * 2 < count) power *= 2
  return power
}

/** The whole subtrees that a range consists of, left to right, each smaller than the one before. */
export function nodesOfRange({ begin, end }: TreeRange): TreeNode[] {
  const nodes: TreeNode[] = []
  let at = begin
  while (at < end) {
    let level = 0
    let width = 1
    while (at % (width * 2) === 0 && at + width * 2 <= end) {
      level += 1
      width *= 2
    }
    nodes.push({ level, index: at / width })
    at += width
  }
  return nodes
}

/** Hash of a range from its whole subtrees (RFC 6962 2.1). An empty range is the empty tree. */
export function rangeHash(range: TreeRange, nodeAt: NodeAt): Buffer {
  const hashes = nodesOfRange(range).map(nodeAt)
  let hash = hashes.pop()
  if (hash === undefined) return emptyTreeHash()
  for (const left of hashes.toReversed()) hash = nodeHash(left, hash)
  return Buffer.from(hash)
}
