import { dim } from '../text/colour.ts'
import { printable } from '../text/terminal-text.ts'
import { piecesOf } from '../text/wrap.ts'

const bar = '│ '
const continuation = '│↪'

/**
 * A model's text as it arrives, behind a bar at the left. It is escaped and wrapped here, so that
 * none of its lines looks like one of Countersign's. The end is held back while it may belong to a
 * longer word or run of blanks.
 */
export class LiveText {
  readonly #columns: () => number
  #held = ''
  #used = 0
  #isOpen = false

  /** `columns` is read for each piece: a window can become narrower. */
  constructor(columns: () => number) {
    this.#columns = columns
  }

  /** The text to print now. */
  add(delta: string): string {
    const text = this.#held + delta
    // The pattern reads only the end, because it takes minutes over a long run of blanks.
    const tail = /\s*\S*$/.exec(text.slice(-(maxBuffered + 1)))?.[0].length ?? 0
    // A word that does not end must not leave the terminal empty.
    const visible = tail > maxBuffered ? text : text.slice(0, text.length - tail)
    this.#held = text.slice(visible.length)
    return this.#print(visible)
  }

  /**
   * Ends the line so that something else can be printed. The text that is held back comes later.
   */
  pause(): string {
    const end = this.#isOpen ? '\n' : ''
    this.#isOpen = false
    return end
  }

  /** Returns the text that was held back, and the end of the last line. */
  end(): string {
    const rest = this.#print(this.#held)
    return rest + this.drop()
  }

  /** Ends the line without the text that is held back: another text replaces this one. */
  drop(): string {
    this.#held = ''
    return this.pause()
  }

  #print(text: string): string {
    if (text === '') return ''
    const maxColumns = Math.max(this.#columns() - bar.length, 8)
    let out = this.#isOpen ? '' : this.#begin(bar)
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) out += `\n${this.#begin(bar)}`
      for (const piece of piecesOf(printable(line), maxColumns)) {
        if (this.#used + piece.columns > maxColumns) out += `\n${this.#begin(continuation)}`
        this.#used += piece.columns
        out += piece.text
      }
    }
    return out
  }

  #begin(mark: string): string {
    this.#isOpen = true
    this.#used = 0
    return dim(mark)
  }
}

/** The most characters that are held back. */
const maxBuffered = 80
