import { StringDecoder } from 'node:string_decoder'

/**
 * Splits the bytes of a stream into lines. Only a line feed ends one: JSON may contain U+2028 and
 * U+2029, at which `readline` would split a message in two.
 */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''

  /** The lines that these bytes end. */
  take(bytes: Buffer): string[] {
    const [first = '', ...others] = this.#decoder.write(bytes).split('\n')
    const lines = [this.#rest + first, ...others]
    this.#rest = lines.pop() ?? ''
    return lines
  }

  /** What follows the last line feed. */
  end(): string {
    return this.#rest + this.#decoder.end()
  }
}
