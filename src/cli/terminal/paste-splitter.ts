/** A part of what a terminal sends: keys as they were pressed, or text that was pasted. */
export interface TerminalInput {
  readonly kind: 'keys' | 'paste'
  readonly text: string
}

/** Tells a terminal to mark pasted text, and not to mark it any more. */
export const markPastes = '\u001B[?2004h'
export const stopMarkingPastes = '\u001B[?2004l'

const begin = '\u001B[200~'
const end = '\u001B[201~'

/**
 * Separates pasted text from keys. Text counts as pasted if the terminal marks it, or if one read
 * has text after the end of a line: nobody types that fast. Marks may be cut anywhere.
 */
export class PasteSplitter {
  #isPasting = false
  #held = ''
  /** The pasted text so far ends with a carriage return: a line feed after it is the same break. */
  #endsWithReturn = false

  /** The parts of what was read, in order; a pasted text comes in several parts if it is long. */
  split(read: string): TerminalInput[] {
    const parts: TerminalInput[] = []
    let text = this.#held + read
    this.#held = ''
    for (;;) {
      const mark = this.#isPasting ? end : begin
      const at = text.indexOf(mark)
      if (at === -1) break
      this.#add(parts, text.slice(0, at))
      this.#isPasting = !this.#isPasting
      this.#endsWithReturn = false
      text = text.slice(at + mark.length)
    }
    const heldLength = beginningOf(this.#isPasting ? end : begin, text)
    this.#held = text.slice(text.length - heldLength)
    this.#add(parts, text.slice(0, text.length - heldLength))
    return parts
  }

  /** Whether the end of what was read waits for the rest of a mark. */
  get isHolding(): boolean {
    return this.#held !== ''
  }

  /**
   * Returns what was held back, when nothing follows it: the key Esc is also the beginning of a
   * mark.
   */
  release(): TerminalInput[] {
    const parts: TerminalInput[] = []
    this.#add(parts, this.#held)
    this.#held = ''
    return parts
  }

  #add(parts: TerminalInput[], text: string): void {
    if (text === '') return
    const isPaste = this.#isPasting || /[\r\n]+[^\r\n]/.test(text)
    const isCut = isPaste && this.#endsWithReturn && text.startsWith('\n')
    const rest = isCut ? text.slice(1) : text
    this.#endsWithReturn = isPaste && rest.endsWith('\r')
    if (rest !== '') parts.push({ kind: isPaste ? 'paste' : 'keys', text: rest })
  }
}

/** How many characters at the end of a text may be the beginning of a mark. */
function beginningOf(mark: string, text: string): number {
  for (let length = mark.length - 1; length > 0; length--) {
    if (text.endsWith(mark.slice(0, length))) return length
  }
  return 0
}
