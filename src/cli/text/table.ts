import { printableLine } from './terminal-text.ts'
import { columnsOf, ownRows, terminalColumns } from './wrap.ts'

/** The space between two columns. */
const gap = '  '
/** A column is not made narrower than this to fit a terminal. */
const minColumns = 20

/**
 * Rows as aligned columns, every cell escaped; the head in upper case. An empty list is a sentence.
 * At a terminal, sentences are cut until a row fits. Names, ids and addresses are never cut: a row
 * that is too long with them continues behind a mark, not with what somebody else wrote.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
): string {
  if (rows.length === 0) return empty
  const body = rows.map((row) => row.map(printableLine))
  const columns = terminalColumns()
  const widths = widthsOf(head, body, columns)
  const cells = [head.map((title) => title.toUpperCase()), ...body]
  return cells
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join(gap)
        .trimEnd(),
    )
    .flatMap((row) => ownRows(row, columns))
    .join('\n')
}

function widthsOf(
  head: readonly string[],
  body: readonly (readonly string[])[],
  maxColumns: number | null,
): number[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...body.map((row) => widthOf(row[column] ?? ''))),
  )
  const isSentence = head.map((_, column) => body.some((row) => / /.test(row[column] ?? '')))
  for (;;) {
    const used = widths.reduce((sum, width) => sum + width + gap.length, -gap.length)
    const widest = Math.max(...widths.filter((_, column) => isSentence[column]), 0)
    if (maxColumns === null || used <= maxColumns || widest <= minColumns) return widths
    const column = widths.findIndex((width, at) => isSentence[at] && width === widest)
    widths[column] = Math.max(minColumns, widest - (used - maxColumns))
  }
}

function widthOf(text: string): number {
  return [...text].reduce((sum, character) => sum + columnsOf(character), 0)
}

function pad(cell: string, width: number): string {
  const fits = widthOf(cell) <= width ? cell : cut(cell, width)
  return fits + ' '.repeat(width - widthOf(fits))
}

function cut(cell: string, width: number): string {
  let start = ''
  for (const character of cell) {
    if (widthOf(start + character) >= width) break
    start += character
  }
  return `${start}…`
}
