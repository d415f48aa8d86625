/** Small chunks are laid together before they cost more than what they hold. */
const chunksMost = 256

/** The newest `most` bytes of a stream, and how many came before them. */
export class OutputTail {
  readonly #most: number
  #chunks: Uint8Array[] = []
  #held = 0
  #total = 0

  constructor(most: number) {
    this.#most = most
  }

  add(bytes: Uint8Array): void {
    this.#chunks.push(bytes)
    this.#held += bytes.length
    this.#total += bytes.length
    if (this.#held > 2 * this.#most || this.#chunks.length > chunksMost) this.#lay()
  }

  /** What is held now: `skipped` bytes came before `bytes`. */
  get(): { readonly skipped: number; readonly bytes: Uint8Array } {
    const bytes = this.#lay()
    return { skipped: this.#total - bytes.length, bytes }
  }

  #lay(): Uint8Array {
    const all = Buffer.concat(this.#chunks)
    const kept = all.subarray(Math.max(0, all.length - this.#most))
    this.#chunks = [kept]
    this.#held = kept.length
    return kept
  }
}
