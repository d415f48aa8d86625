import { printableLine } from './terminal-text.ts'

/**
 * Rows as aligned columns, every cell escaped; the head in upper case. An empty list is a sentence.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
): string {
  if (rows.length === 0) return empty
  const cells = [
    head.map((title) => title.toUpperCase()),
    ...rows.map((row) => row.map(printableLine)),
  ]
  const widths = head.map((_, column) =>
    Math.max(...cells.map((row) => [...(row[column] ?? '')].length)),
  )
  return cells
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(width - [...cell].length)
}
