import { hashBytesLong, nodeHash } from '../../merkle/tree-hash.ts'
import type { NodeAt } from '../../merkle/tree-range.ts'

/**
 * The tree over a whole log's leaf hashes: each level is one block of bytes, so that a million
 * leaves take 64 MB.
 */
export class CompactTree {
  readonly size: number
  readonly #levels: Buffer[]

  /** `leaves`: the leaf hashes one after the other. */
  constructor(leaves: Buffer) {
    this.size = leaves.length / hashBytesLong
    this.#levels = [leaves]
    for (let below = leaves; below.length >= 2 * hashBytesLong;) {
      const count = Math.floor(below.length / (2 * hashBytesLong))
      const level = Buffer.alloc(count * hashBytesLong)
      for (let index = 0; index < count; index += 1) {
        const left = 2 * index * hashBytesLong
        const middle = left + hashBytesLong
        const right = below.subarray(middle, middle + hashBytesLong)
        nodeHash(below.subarray(left, middle), right).copy(level, index * hashBytesLong)
      }
      this.#levels.push(level)
      below = level
    }
  }

  /** Hash of a whole subtree. Throws where the tree has none. */
  readonly nodeAt: NodeAt = ({ level, index }) => {
    const hash = this.hashes(level, index, 1)
    if (hash.length === 0)
      throw new RangeError(`The tree has no subtree ${index} of level ${level}`)
    return hash
  }

  /** Hashes of `count` neighbouring subtrees of a level, as far as there are so many. */
  hashes(level: number, begin: number, count: number): Buffer {
    const hashes = this.#levels[level] ?? Buffer.alloc(0)
    return hashes.subarray(begin * hashBytesLong, (begin + count) * hashBytesLong)
  }
}
