const tabWidth = 8
const wide =
  /^[\p{Extended_Pictographic}\u1100-\u115F\u2E80-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F000}-\u{1FAFF}\u{20000}-\u{3FFFD}]$/u

/**
 * Cuts one line into rows of at most `width` columns, anywhere: nothing is lost, nothing is added.
 * What is wide or a tab counts in full, so that the terminal never wraps by itself. Pure.
 */
export function wrap(line: string, width: number): string[] {
  const most = Math.max(width, tabWidth)
  const rows: string[] = []
  let row = ''
  let used = 0
  for (const character of line) {
    const columns = columnsOf(character)
    if (used + columns > most) {
      rows.push(row)
      row = ''
      used = 0
    }
    row += character
    used += columns
  }
  return [...rows, row]
}

/** How many columns a character takes. */
export function columnsOf(character: string): number {
  if (character === '\t') return tabWidth
  return wide.test(character) ? 2 : 1
}

/** Columns of the terminal that reads us; `null` for a pipe or a file. */
export function terminalColumns(): number | null {
  return process.stdout.isTTY ? process.stdout.columns : null
}
