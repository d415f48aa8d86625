import type { TokenNode } from 'react-diff-view'
import { layRuns, type StyledRun } from '../text/styled-runs.ts'
import type { PaintedLine } from './highlight/paint-kinds.ts'
import { runsOfPaint } from './highlight/runs-of-paint.ts'
import { marksOf, type Mark } from './token-marks.ts'
import type { DiffChange, DiffHunk } from '#domain/tools/unified-diff.ts'

/** A line as the single token of the diff view. */
export interface LineToken extends TokenNode {
  type: 'line'
  text: string
  /** colour by language, and the words that differ from the other version of the line */
  runs: readonly StyledRun[]
  endsWithoutNewline: boolean
  /** it is not part of the difference, but of the file around it */
  isAround: boolean
}

const noMarks: ReadonlyMap<DiffChange, readonly Mark[]> = new Map()

interface Sides {
  old: TokenNode[][]
  new: TokenNode[][]
}

/**
 * The tokens of all drawn lines, by side and number. `colours`: colours of both whole sides
 * (`isWhole`) or of both sides of each hunk; `visibleHunks`: the opened lines of gaps. Pure.
 */
export function lineTokens(input: {
  hunks: readonly DiffHunk[]
  visibleHunks: readonly DiffHunk[]
  colours: readonly (readonly PaintedLine[])[] | null
  isWhole: boolean
  /** changes of white space only, whose words are not marked */
  quiet: ReadonlySet<DiffChange>
}): Sides {
  const { hunks, visibleHunks, colours, isWhole, quiet } = input
  const tokens: Sides = { old: [], new: [] }
  const put = (side: 'old' | 'new', line: number, token: LineToken): void => {
    tokens[side][line - 1] = [token]
  }
  const draw = (hunk: DiffHunk, index: number | null): void => {
    const marks = index === null ? noMarks : marksOf(hunk.changes)
    const places = { old: 0, new: 0 }
    for (const change of hunk.changes) {
      const paintOf = (side: 'old' | 'new', line: number): PaintedLine | undefined => {
        const place = places[side]
        places[side] += 1
        if (isWhole) return colours?.[side === 'old' ? 0 : 1]?.[line - 1]
        return index === null ? undefined : colours?.[index * 2 + (side === 'old' ? 0 : 1)]?.[place]
      }
      const runsOf = (side: 'old' | 'new', line: number): readonly StyledRun[] => {
        const paint = runsOfPaint(paintOf(side, line) ?? [])
        const differs = quiet.has(change) ? [] : (marks.get(change) ?? [])
        const edits = differs.map((mark) => ({ ...mark, className: 'diff-code-edit' }))
        return edits.length === 0 ? paint : layRuns(paint, edits)
      }
      const token = (runs: readonly StyledRun[]): LineToken => ({
        type: 'line',
        text: change.content,
        runs,
        endsWithoutNewline: change.endsWithoutNewline,
        isAround: index === null,
      })
      if (change.type === 'insert')
        put('new', change.lineNumber, token(runsOf('new', change.lineNumber)))
      else if (change.type === 'delete')
        put('old', change.lineNumber, token(runsOf('old', change.lineNumber)))
      else {
        put('old', change.oldLineNumber, token(runsOf('old', change.oldLineNumber)))
        put('new', change.newLineNumber, token(runsOf('new', change.newLineNumber)))
      }
    }
  }
  hunks.forEach(draw)
  for (const hunk of visibleHunks) draw(hunk, null)
  return tokens
}
