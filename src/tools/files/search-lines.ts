/** One line that matches. `column` counts UTF-16 units from 1. */
export interface LineMatch {
  readonly line: number
  readonly column: number
  /** the line, at most 400 characters of it around the match */
  readonly text: string
}

const shownCharacters = 400

/** The first `most` lines that match, and whether there are more. Pure; may take for ever on a hostile pattern. */
export function searchLines(
  expression: RegExp,
  text: string,
  most: number,
): { readonly matches: LineMatch[]; readonly more: boolean } {
  const matches: LineMatch[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const found = expression.exec(line)
    if (found === null) continue
    if (matches.length >= most) return { matches, more: true }
    matches.push({ line: index + 1, column: found.index + 1, text: around(line, found.index) })
  }
  return { matches, more: false }
}

function around(line: string, at: number): string {
  const bare = line.endsWith('\r') ? line.slice(0, -1) : line
  if (bare.length <= shownCharacters) return bare
  const start = Math.max(0, Math.min(at - 100, bare.length - shownCharacters))
  const cut = bare.slice(start, start + shownCharacters).toWellFormed()
  return `${start > 0 ? '…' : ''}${cut}${start + shownCharacters < bare.length ? '…' : ''}`
}
