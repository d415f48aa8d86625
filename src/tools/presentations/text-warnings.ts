import { lookAlikes } from '#domain/text/look-alikes/look-alikes.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { hiddenReason, labelOf } from '#domain/text/visible-text.ts'

/**
 * Unusual features of text that will be written, each as a sentence with exact counts (security.md
 * 17). `lines`, without their newlines: all of a new file, the added ones of a diff.
 */
export function textWarnings(lines: readonly string[]): string[] {
  const warnings: string[] = []
  const carriageReturns = lines.filter((line) => line.endsWith('\r')).length
  if (carriageReturns > 0)
    warnings.push(`${countWords(carriageReturns, 'line')} with CRLF line ends.`)
  const trailing = lines.filter((line) => /[ \t]\r?$/.test(line)).length
  if (trailing > 0) warnings.push(`${countWords(trailing, 'line')} with space at the end.`)
  const hidden = hiddenCharacters(lines)
  if (hidden !== null) warnings.push(hidden)
  const mistaken = countsOf(
    lines.flatMap((line) =>
      lookAlikes(line).map(({ character, look }) =>
        look === null ? labelOf(character) : `${labelOf(character)} looks like "${look}"`,
      ),
    ),
  )
  if (mistaken !== null) warnings.push(`Look-alike characters: ${mistaken}.`)
  return warnings
}

/** Whether a text that will be written ends in a newline; an empty one need not. */
export function finalNewlineWarning(text: string): string[] {
  return text === '' || text.endsWith('\n') ? [] : ['No newline at the end of the file.']
}

function hiddenCharacters(lines: readonly string[]): string | null {
  const labels = lines.flatMap((line) => {
    const bare = line.endsWith('\r') ? line.slice(0, -1) : line
    return Array.from(bare).filter((character) => hiddenReason(character) !== null)
  })
  const counts = countsOf(labels.map(labelOf))
  return counts === null ? null : `Hidden characters: ${counts}.`
}

/** Kinds that are named; others are counted. */
const maxKinds = 8

/** `3 (a × 2, b × 1)`, or `null` for none. */
function countsOf(labels: readonly string[]): string | null {
  if (labels.length === 0) return null
  const counts = Map.groupBy(labels, (label) => label)
  const kinds = [...counts].map(([label, characters]) => `${label} × ${characters.length}`)
  const more = kinds.length > maxKinds ? [`and ${kinds.length - maxKinds} more kinds`] : []
  return `${labels.length} (${[...kinds.slice(0, maxKinds), ...more].join(', ')})`
}
