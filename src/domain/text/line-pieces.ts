import { visibleText, type TextSegment } from './visible-text.ts'

/** A piece of one line: text, a chip for a hidden character, or a counted run of blanks. */
export type LinePiece =
  | TextSegment
  | {
      readonly kind: 'blanks'
      readonly text: string
      readonly count: number
      readonly trailing: boolean
    }

/** Runs of at least so many blanks are drawn as their count, so that no text is out of sight. */
const foldBlanksFrom = 40

/**
 * One line (without its line feed) as pieces; joined they are the line. Blanks at its end and long
 * runs of blanks are pieces of their own (security.md 17). `endsLine` is false for a part before
 * the last. Pure.
 */
export function linePieces(line: string, endsLine = true): LinePiece[] {
  const segments = visibleText(line)
  // Text before trailing carriage returns ends the line too.
  const last = segments.findLastIndex((segment) => segment.text !== '\r')
  return segments.flatMap((segment, index) =>
    segment.kind === 'chip' ? [segment] : splitBlanks(segment.text, endsLine && index >= last),
  )
}

function splitBlanks(text: string, last: boolean): LinePiece[] {
  const pieces: LinePiece[] = []
  let from = 0
  for (const match of text.matchAll(/[ \t]+/g)) {
    const trailing = last && match.index + match[0].length === text.length
    if (!trailing && match[0].length < foldBlanksFrom) continue
    if (match.index > from) pieces.push({ kind: 'text', text: text.slice(from, match.index) })
    pieces.push({ kind: 'blanks', text: match[0], count: match[0].length, trailing })
    from = match.index + match[0].length
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from) })
  return pieces
}

/** The lines of a text, and whether the last one ends with a line feed. */
export function splitLines(text: string): { lines: string[]; finalNewline: boolean } {
  const lines = text.split('\n')
  const finalNewline = lines.at(-1) === ''
  if (finalNewline) lines.pop()
  return { lines, finalNewline }
}

/** A block of numbered lines (from 1), or of blank lines that are long enough to fold. */
export interface LineBlock {
  readonly kind: 'lines' | 'blank'
  readonly from: number
  readonly lines: readonly string[]
}

const foldLinesFrom = 8

/** Folds runs of eight blank lines or more; other blocks have at most `maxLines` lines. */
export function lineBlocks(lines: readonly string[], maxLines: number): LineBlock[] {
  const runs = blankRuns(lines)
  const foldsAt = (at: number): boolean => (runs[at] ?? 0) >= foldLinesFrom
  const blocks: LineBlock[] = []
  let at = 0
  while (at < lines.length) {
    let end = at
    if (foldsAt(at)) end += runs[at] ?? 1
    else while (end < lines.length && end - at < maxLines && !foldsAt(end)) end += 1
    const kind = foldsAt(at) ? 'blank' : 'lines'
    blocks.push({ kind, from: at + 1, lines: lines.slice(at, end) })
    at = end
  }
  return blocks
}

/** For each line, how many blank lines begin there. */
function blankRuns(lines: readonly string[]): number[] {
  const runs: number[] = Array.from({ length: lines.length }, () => 0)
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    if (/^[ \t\r]*$/.test(lines[at] ?? '')) runs[at] = 1 + (runs[at + 1] ?? 0)
  }
  return runs
}
