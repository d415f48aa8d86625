import { parseSync } from 'oxc-parser'

/** The same as for code (`.oxfmtrc.json`). */
const maxColumns = 100

/**
 * The lines of a source text on which a comment goes past column 100, as `file:line: N columns`.
 * A line with a word that is too long by itself, such as a URL, is left out.
 */
export function longCommentLines(file: string, text: string): string[] {
  const { comments, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`)
  const starts = lineStarts(text)
  return comments.flatMap(({ start, end }) => {
    const long: string[] = []
    for (let line = lineAt(starts, start); (starts[line] ?? text.length) < end; line += 1) {
      const lineText = text.slice(starts[line], starts[line + 1]).trimEnd()
      if (lineText.length <= maxColumns || !isBreakable(lineText)) continue
      long.push(`${file}:${line + 1}: a comment of ${lineText.length} columns`)
    }
    return long
  })
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function lineAt(starts: readonly number[], offset: number): number {
  const after = starts.findIndex((start) => start > offset)
  return after === -1 ? starts.length - 1 : after - 1
}

function isBreakable(line: string): boolean {
  const indent = line.length - line.trimStart().length
  const longest = Math.max(...line.split(/\s+/).map((word) => word.length))
  return indent + longest + '// '.length <= maxColumns
}
