import { emptyTreeHash, nodeHash } from './tree-hash.ts'

/**
 * A tree that grows by appended leaves, of which only the whole subtrees at its right edge are
 * stored: for reading a whole log once.
 */
export class GrowingTree {
  /** left to right, each wider than the next */
  readonly #subtrees: { leaves: number; hash: Uint8Array }[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  append(leafHash: Uint8Array): void {
    this.#size += 1
    let subtree = { leaves: 1, hash: leafHash }
    for (let left = this.#subtrees.at(-1); left?.leaves === subtree.leaves;) {
      subtree = { leaves: 2 * subtree.leaves, hash: nodeHash(left.hash, subtree.hash) }
      this.#subtrees.pop()
      left = this.#subtrees.at(-1)
    }
    this.#subtrees.push(subtree)
  }

  /** The root of the leaves so far (RFC 6962 2.1). */
  root(): Uint8Array {
    const [last, ...wider] = this.#subtrees.toReversed()
    if (last === undefined) return emptyTreeHash()
    return wider.reduce((hash, left) => nodeHash(left.hash, hash), last.hash)
  }
}
