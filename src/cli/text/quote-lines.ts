import { lineBlocks, splitLines } from '#domain/text/line-pieces.ts'
import { cyan, dim, green, red } from './colour.ts'
import { printable } from './terminal-text.ts'
import { wrap } from './wrap.ts'

/** A bar before every line, so that no quoted line looks like output of the command itself. */
const bar = '│ '
const continuation = '│↪'

export interface QuotedOptions {
  /** width of the terminal; `null` where there is none, and lines stay whole */
  readonly columns: number | null
  /** a unified diff: the sign of a line comes from the service, and the rest is quoted */
  readonly diff: boolean
}

/**
 * Text from outside as lines of output: escaped, wrapped within the bar, and eight or more blank
 * lines as their count, so that blank lines cannot scroll text out of sight (security.md 17, 18).
 */
export function quoteLines(text: string, options: QuotedOptions): string[] {
  const { lines } = splitLines(text)
  return lineBlocks(lines, lines.length).flatMap((block) =>
    block.kind === 'blank'
      ? [`${dim(bar)}⟦${block.lines.length} blank lines⟧`]
      : block.lines.flatMap((line) => quotedLine(line, options)),
  )
}

function quotedLine(line: string, { columns, diff }: QuotedOptions): string[] {
  const hasSign = diff && /^[ +-]/.test(line)
  const visible = hasSign ? line.slice(0, 1) + printable(line.slice(1)) : printable(line)
  const rows = columns === null ? [visible] : wrap(visible, columns - bar.length)
  const colour = diff ? diffColour(line) : plain
  return rows.map((row, index) => dim(index === 0 ? bar : continuation) + colour(row))
}

function diffColour(line: string): (text: string) => string {
  if (line.startsWith('@@')) return cyan
  if (line.startsWith('+')) return green
  return line.startsWith('-') ? red : plain
}

function plain(text: string): string {
  return text
}
