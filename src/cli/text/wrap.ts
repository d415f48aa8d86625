const tabWidth = 8
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115F\u2E80-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F000}-\u{1FAFF}\u{20000}-\u{3FFFD}]$/u

/** A style that this command sets, which takes no column. */
// oxlint-disable-next-line no-control-regex
const style = /^\u001b\[[\d;]*m/
// oxlint-disable-next-line no-control-regex
const pieces = /\u001b\[[\d;]*m|\s|[^\s\u001b]+|\u001b/gu

/**
 * Cuts one line into rows of at most `width` columns: between words, and inside those that are
 * longer than half a row. The rows joined are the line. Wide characters and tabs count as the
 * columns that they take, so that the terminal wraps nothing. Pure.
 */
export function wrap(line: string, width: number): string[] {
  const maxColumns = Math.max(width, tabWidth)
  const rows: string[] = []
  let row = ''
  let used = 0
  for (const { text, columns } of piecesOf(line, maxColumns)) {
    if (used + columns > maxColumns) {
      rows.push(row)
      row = ''
      used = 0
    }
    row += text
    used += columns
  }
  return [...rows, row]
}

/** A part of a line that stays in one row, and the columns that it takes. */
export interface Piece {
  readonly text: string
  readonly columns: number
}

/**
 * The words that take at most half a row of `maxColumns` columns, and the characters of the others.
 */
export function piecesOf(text: string, maxColumns: number): Piece[] {
  return (text.match(pieces) ?? []).flatMap((word) => {
    if (style.test(word)) return [{ text: word, columns: 0 }]
    const characters = [...word].map((one) => ({ text: one, columns: columnsOf(one) }))
    const columns = characters.reduce((sum, one) => sum + one.columns, 0)
    return columns * 2 > maxColumns ? characters : [{ text: word, columns }]
  })
}

/** How many columns a character takes. */
export function columnsOf(character: string): number {
  if (character === '\t') return tabWidth
  return wide.test(character) ? 2 : 1
}

/**
 * The entries of a menu in rows of at most `columns`, an entry never across two; `null`: one row.
 * Pure.
 */
export function menuRows(entries: readonly string[], columns: number | null): string[] {
  const rows: string[] = []
  let row = ''
  for (const entry of entries) {
    const longer = row === '' ? entry : `${row} · ${entry}`
    if (columns !== null && row !== '' && longer.length > columns) {
      rows.push(row)
      row = entry
    } else row = longer
  }
  return [...rows, row]
}

const continuation = '  ↪ '

/**
 * A line of this command in rows of the terminal. It may quote a name or a sentence of somebody
 * else, so each further row begins with a mark: otherwise one could look like a line of this
 * command. `null` columns: it stays whole.
 */
export function ownRows(line: string, columns: number | null): string[] {
  if (columns === null) return [line]
  const [first = ''] = wrap(line, columns)
  if (first.length === line.length) return [line]
  const others = wrap(line.slice(first.length), columns - continuation.length)
  return [first, ...others.map((row) => continuation + row)]
}

/** Some terminals, such as a serial line, report no size. */
const usualColumns = 80

/** Columns of the terminal that reads us; `null` for a pipe or a file. */
export function terminalColumns(): number | null {
  const { isTTY, columns } = process.stdout
  if (!isTTY) return null
  return columns > 0 ? columns : usualColumns
}

/** Rows of the terminal that shows the output; `null`: it is none, or its size is unknown. */
export function terminalRows(): number | null {
  return process.stdout.isTTY && process.stdout.rows > 0 ? process.stdout.rows : null
}

/** The lines of a page. If it is too long, `head` and `foot` stay, and the others are clipped. */
interface Page {
  readonly head: readonly string[]
  readonly details: readonly string[]
  readonly body: readonly string[]
  readonly foot: readonly string[]
}

/** If fewer rows than these are left between head and foot, lines of head and foot are cut. */
const minMiddleRows = 8
/** Between head and foot are at least these rows, even if the page is then too long. */
const leastMiddleRows = 5

/**
 * A page in rows of the terminal, at most `maxRows` if its head and foot leave enough of them. Cut
 * lines of the head and foot end in `…`; the last row of a clipped part is what `mark` makes of the
 * number of rows left out. `whole`: nothing was cut. Pure.
 */
export function fitPage(
  page: Page,
  options: {
    readonly columns: number
    readonly maxRows: number
    readonly mark: (rows: number) => string
  },
): { readonly rows: readonly string[]; readonly whole: boolean } {
  const { columns, maxRows, mark } = options
  const rowsOf = (lines: readonly string[]) => lines.flatMap((line) => ownRows(line, columns))
  const [details, body] = [rowsOf(page.details), rowsOf(page.body)]
  const rows = [...rowsOf(page.head), ...details, ...body, ...rowsOf(page.foot)]
  if (rows.length <= maxRows) return { rows, whole: true }
  const edgesOf = (maxOfLine: number) => {
    const cut = (line: string) => cutLine(line, columns, maxOfLine)
    const [head, foot] = [page.head.flatMap(cut), page.foot.flatMap(cut)]
    return { head, foot, left: maxRows - head.length - foot.length }
  }
  const edges = [3, 2].map(edgesOf).find(({ left }) => left >= minMiddleRows) ?? edgesOf(1)
  const middleRows = Math.max(edges.left, leastMiddleRows)
  const first = clipRows(details, Math.floor(middleRows / 2), mark)
  const second = clipRows(body, middleRows - first.length, mark)
  return { rows: [...edges.head, ...first, ...second, ...edges.foot], whole: false }
}

/** Ends a style whose end may be in a row that is left out. */
const endOfStyles = '\u001b[0m'

function endOf(rows: readonly string[]): string {
  return rows.some((row) => row.includes('\u001b')) ? endOfStyles : ''
}

/** The rows of a line, at most `maxRows`. */
function cutLine(line: string, columns: number, maxRows: number): string[] {
  const rows = ownRows(line, columns)
  if (rows.length <= maxRows) return rows
  const [last = ''] = wrap(rows[maxRows - 1] ?? '', columns - 1)
  return [...rows.slice(0, maxRows - 1), `${last}…${endOf([line])}`]
}

function clipRows(
  rows: readonly string[],
  maxRows: number,
  mark: (rows: number) => string,
): readonly string[] {
  if (rows.length <= maxRows) return rows
  const visible = rows.slice(0, maxRows - 1)
  return [...visible, endOf(visible) + mark(rows.length - visible.length)]
}
