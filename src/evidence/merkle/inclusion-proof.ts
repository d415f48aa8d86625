import { isSameHash, nodeHash } from './tree-hash.ts'
import { rangeHash, splitOf, type NodeAt, type TreeRange } from './tree-range.ts'

/**
 * The ranges whose hashes are the path from leaf `index` to the root of a tree of `size` leaves,
 * lowest first (RFC 9162 2.1.3.1).
 */
export function inclusionRanges(index: number, size: number): TreeRange[] {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) {
    throw new RangeError(`A tree of ${size} leaves has no leaf ${index}`)
  }
  const ranges: TreeRange[] = []
  let [begin, end] = [0, size]
  while (end - begin > 1) {
    const middle = begin + splitOf(end - begin)
    if (index < middle) {
      ranges.push({ begin: middle, end })
      end = middle
    } else {
      ranges.push({ begin, end: middle })
      begin = middle
    }
  }
  return ranges.toReversed()
}

/** The audit path of leaf `index` of `size`, lowest first. Throws where `nodeAt` does. */
export function inclusionProof(index: number, size: number, nodeAt: NodeAt): Buffer[] {
  return inclusionRanges(index, size).map((range) => rangeHash(range, nodeAt))
}

/**
 * Whether the path proves that the tree of `size` leaves with this root has this leaf hash at
 * `index` (RFC 9162 2.1.3.2). Otherwise false: never throws on hostile input.
 */
export function verifyInclusion(claim: {
  readonly index: number
  readonly size: number
  readonly leaf: Uint8Array
  readonly root: Uint8Array
  readonly proof: readonly Uint8Array[]
}): boolean {
  const { index, size, leaf, root, proof } = claim
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(index)) return false
  if (index < 0 || index >= size) return false
  const ranges = inclusionRanges(index, size)
  if (ranges.length !== proof.length) return false
  const hash = proof.reduce<Uint8Array>((below, beside, step) => {
    const isOnTheLeft = (ranges[step]?.end ?? size) <= index
    return isOnTheLeft ? nodeHash(beside, below) : nodeHash(below, beside)
  }, leaf)
  return isSameHash(hash, root)
}
