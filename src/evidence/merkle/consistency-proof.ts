import { isSameHash, nodeHash } from './tree-hash.ts'
import { nodesOfRange, rangeHash, splitOf, type NodeAt, type TreeRange } from './tree-range.ts'

/**
 * The ranges whose hashes prove that the first `from` leaves of a tree of `size` leaves are the
 * older tree (RFC 9162 2.1.4.1), in the proof's order. None for the empty older tree and for the
 * same size.
 */
export function consistencyRanges(from: number, size: number): TreeRange[] {
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(size) || from < 0 || from > size) {
    throw new RangeError(`A tree of ${size} leaves does not follow one of ${from}`)
  }
  if (from === 0 || from === size) return []
  const ranges: TreeRange[] = []
  let [begin, end] = [0, size]
  let isOldRoot = true
  while (from !== end) {
    const middle = begin + splitOf(end - begin)
    if (from <= middle) {
      ranges.push({ begin: middle, end })
      end = middle
    } else {
      ranges.push({ begin, end: middle })
      begin = middle
      isOldRoot = false
    }
  }
  if (!isOldRoot) ranges.push({ begin, end })
  return ranges.toReversed()
}

/** The proof that the tree of `size` leaves begins with that of `from`. Throws as `nodeAt`. */
export function consistencyProof(from: number, size: number, nodeAt: NodeAt): Buffer[] {
  return consistencyRanges(from, size).map((range) => rangeHash(range, nodeAt))
}

/**
 * Whether the proof shows that the tree of `size` leaves begins with the tree of `from` leaves (RFC
 * 9162 2.1.4.2). Otherwise false: never throws on hostile input.
 */
export function verifyConsistency(claim: {
  readonly from: number
  readonly fromRoot: Uint8Array
  readonly size: number
  readonly root: Uint8Array
  readonly proof: readonly Uint8Array[]
}): boolean {
  const { from, fromRoot, size, root, proof } = claim
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(size)) return false
  if (from < 0 || from > size) return false
  if (from === size) return proof.length === 0 && isSameHash(fromRoot, root)
  if (from === 0) return proof.length === 0 && isSameHash(fromRoot, emptyRoot)
  const ranges = consistencyRanges(from, size)
  if (ranges.length !== proof.length) return false
  const subtrees = ranges.map((range, index) => ({ range, hash: proof[index] ?? emptyRoot }))
  // A power of two is a subtree of the newer tree: its root is the implicit beginning of the proof.
  if (nodesOfRange({ begin: 0, end: from }).length === 1) {
    subtrees.unshift({ range: { begin: 0, end: from }, hash: fromRoot })
  }
  const old = subtrees.filter(({ range }) => range.end <= from)
  return isSameHash(joinHashes(old), fromRoot) && isSameHash(joinHashes(subtrees), root)
}

const emptyRoot = rangeHash({ begin: 0, end: 0 }, () => Buffer.alloc(0))

/** Joins adjacent ranges, beginning with the lowest subtree of the proof. */
function joinHashes(subtrees: readonly { range: TreeRange; hash: Uint8Array }[]): Uint8Array {
  const [first, ...others] = subtrees
  if (first === undefined) return emptyRoot
  let { range, hash } = first
  for (const other of others) {
    const isLeft = other.range.end === range.begin
    hash = isLeft ? nodeHash(other.hash, hash) : nodeHash(hash, other.hash)
    range = {
      begin: Math.min(range.begin, other.range.begin),
      end: Math.max(range.end, other.range.end),
    }
  }
  return hash
}
