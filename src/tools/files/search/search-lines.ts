import type { RE2JS } from 're2js'

/** One line that matches. `column` counts UTF-16 units from 1. */
export interface LineMatch {
  readonly line: number
  readonly column: number
  /** the line, at most 400 characters of it around the match */
  readonly text: string
}

const previewCharacters = 400

/** The first `maxMatches` lines that match, and whether there are more. Pure. */
export function searchLines(
  expression: RE2JS,
  text: string,
  maxMatches: number,
): { readonly matches: LineMatch[]; readonly more: boolean } {
  const matches: LineMatch[] = []
  for (const [index, line] of text.split('\n').entries()) {
    // Finding the place of a match takes longer than testing for one.
    if (!expression.test(line)) continue
    const matcher = expression.matcher(line)
    matcher.find()
    if (matches.length >= maxMatches) return { matches, more: true }
    matches.push({
      line: index + 1,
      column: matcher.start() + 1,
      text: around(line, matcher.start()),
    })
  }
  return { matches, more: false }
}

function around(line: string, at: number): string {
  const bare = line.endsWith('\r') ? line.slice(0, -1) : line
  if (bare.length <= previewCharacters) return bare
  const start = Math.max(0, Math.min(at - 100, bare.length - previewCharacters))
  const cut = bare.slice(start, start + previewCharacters).toWellFormed()
  return `${start > 0 ? '…' : ''}${cut}${start + previewCharacters < bare.length ? '…' : ''}`
}
