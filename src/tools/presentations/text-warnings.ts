import { counted } from '../../domain/text/counted.ts'
import { hiddenReason, labelOf, mixedWords } from '../../domain/text/visible-text.ts'

/**
 * What is odd about text that will be written, each as a sentence with exact counts (security.md 17). `lines` are
 * the lines in question, without their newline: all of a new file, the added ones of a diff.
 */
export function textWarnings(lines: readonly string[]): string[] {
  const warnings: string[] = []
  const carriageReturns = lines.filter((line) => line.endsWith('\r')).length
  if (carriageReturns > 0) warnings.push(`${counted(carriageReturns, 'line')} with CRLF line ends.`)
  const trailing = lines.filter((line) => /[ \t]\r?$/.test(line)).length
  if (trailing > 0) warnings.push(`${counted(trailing, 'line')} with space at the end.`)
  const hidden = hiddenCharacters(lines)
  if (hidden !== null) warnings.push(hidden)
  const mixed = lines.flatMap((line) => mixedWords(line))
  if (mixed.length > 0) {
    const shown = mixed
      .slice(0, 5)
      .map(({ word, scripts }) => `"${word}" (${scripts.join(' and ')})`)
    const more = mixed.length > shown.length ? ` and ${mixed.length - shown.length} more` : ''
    warnings.push(
      `Look-alike letters: ${counted(mixed.length, 'word')} mixing scripts: ${shown.join(', ')}${more}.`,
    )
  }
  return warnings
}

/** Whether a text that will be written ends in a newline; an empty one need not. */
export function finalNewlineWarning(text: string): string[] {
  return text === '' || text.endsWith('\n') ? [] : ['No newline at the end of the file.']
}

function hiddenCharacters(lines: readonly string[]): string | null {
  const counts = new Map<string, number>()
  for (const line of lines) {
    const bare = line.endsWith('\r') ? line.slice(0, -1) : line
    for (const character of bare) {
      if (hiddenReason(character) === null) continue
      const label = labelOf(character)
      counts.set(label, (counts.get(label) ?? 0) + 1)
    }
  }
  if (counts.size === 0) return null
  const total = [...counts.values()].reduce((sum, number) => sum + number, 0)
  const kinds = [...counts].map(([label, number]) => `${label} × ${number}`).join(', ')
  return `Hidden characters: ${total} (${kinds}).`
}
