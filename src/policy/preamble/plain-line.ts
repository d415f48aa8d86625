import { oneLine } from '#domain/text/one-line.ts'
import { hiddenReason, labelOf } from '#domain/text/visible-text.ts'

/** Longest line of a preamble, in characters. */
const lineCharacters = 200

/**
 * A name or sentence of a configuration as one line that the model cannot mistake for another: no
 * line ends, no invisible characters, of bounded length. Pure.
 */
export function plainLine(text: string): string {
  const line = oneLine(text, lineCharacters)
  return Array.from(line)
    .map((character) => (hiddenReason(character) === null ? character : `[${labelOf(character)}]`))
    .join('')
}

/** Most lines of one list of a preamble. */
const listLines = 60

/** The lines of a list; a long one ends with the number of the omitted lines. Pure. */
export function plainList(lines: readonly string[]): readonly string[] {
  const items = lines.slice(0, listLines).map((line) => `- ${plainLine(line)}`)
  const more = lines.length - items.length
  return more > 0 ? [...items, `- and ${more} more`] : items
}
