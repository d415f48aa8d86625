import { StringDecoder } from 'node:string_decoder'

/**
 * Splits the bytes of a stream into lines. Only a line feed ends one: JSON may contain U+2028 and
 * U+2029, at which `readline` would split a message in two. A line of more than `maxCharacters` is
 * returned before it ends, and the rest of it is left out: without an end it would fill the memory.
 */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8')
  readonly #maxCharacters: number
  #rest = ''
  #isTooLong = false

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters
  }

  /** The lines that these bytes end, or make too long. */
  take(bytes: Buffer): string[] {
    const lines: string[] = []
    for (const [at, part] of this.#decoder.write(bytes).split('\n').entries()) {
      if (at > 0) {
        if (!this.#isTooLong) lines.push(this.#rest)
        this.#rest = ''
        this.#isTooLong = false
      }
      if (this.#isTooLong) continue
      this.#rest += part
      if (this.#rest.length <= this.#maxCharacters) continue
      lines.push(this.#rest)
      this.#rest = ''
      this.#isTooLong = true
    }
    return lines
  }

  /** What follows the last line feed. */
  end(): string {
    return this.#isTooLong ? '' : this.#rest + this.#decoder.end()
  }
}
