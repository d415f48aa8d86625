import { dim } from '../text/colour.ts'
import { printable } from '../text/terminal-text.ts'
import { columnsOf } from '../text/wrap.ts'

const bar = '│ '
const continued = '│↪'

/**
 * A model's text as it comes, within a bar at the left: escaped, and wrapped by us, so that no line
 * of it passes for one of ours. What may belong to a word or a run of blanks that goes on is held
 * back until that is known.
 */
export class LiveText {
  readonly #columns: number
  #held = ''
  #used = 0
  #isOpen = false

  constructor(columns: number) {
    this.#columns = Math.max(columns - bar.length, 8)
  }

  /** What to print now. */
  add(delta: string): string {
    const text = this.#held + delta
    const whole = text.slice(0, -(/\s*\S*$/.exec(text)?.[0].length ?? 0) || text.length)
    // A word without an end is no reason to print nothing.
    const visible = text.length - whole.length > mostHeld ? text : whole
    this.#held = text.slice(visible.length)
    return this.#print(visible)
  }

  /** The end of the line, for something else to be printed; what is held back comes later. */
  pause(): string {
    const end = this.#isOpen ? '\n' : ''
    this.#isOpen = false
    return end
  }

  /** What was held back, and the end of the last line. */
  end(): string {
    const rest = this.#print(this.#held)
    this.#held = ''
    const end = this.#isOpen ? '\n' : ''
    this.#isOpen = false
    return rest + end
  }

  #print(text: string): string {
    if (text === '') return ''
    let out = this.#isOpen ? '' : this.#begin(bar)
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) out += `\n${this.#begin(bar)}`
      for (const character of printable(line)) {
        const columns = columnsOf(character)
        if (this.#used + columns > this.#columns) out += `\n${this.#begin(continued)}`
        this.#used += columns
        out += character
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

/** Characters that are held back at most. */
const mostHeld = 80
