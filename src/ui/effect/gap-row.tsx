import { countWords, whiteSpaceWords } from '#domain/text/quantities/count-words.ts'
import type { Gap } from './gaps.ts'
import type { DiffHunk } from '#domain/tools/unified-diff.ts'
import { linesOfPress } from './use-gaps.ts'

/** The row for omitted lines of a difference, with a button that shows them if they are known. */
export function GapRow(props: {
  /** `lines` is infinite if the end of the file is not known yet */
  gap: Gap
  /** the number of its lines that are shown above it */
  linesAbove: number
  columns: number
  canShow: boolean
  isLoading: boolean
  isNew: boolean
  onShow: () => void
}) {
  const { gap, linesAbove: visible, columns, canShow, isLoading, isNew } = props
  const hiddenLines = Math.max(0, gap.lines - visible)
  if (hiddenLines === 0 && (visible > 0 || gap.newStart > 1)) return null
  const words =
    hiddenLines === Infinity
      ? 'Show the unchanged lines that follow'
      : `Show ${countedLines(Math.min(hiddenLines, linesOfPress))}`
  return (
    <tbody className="diff-head">
      <tr>
        <td colSpan={columns}>
          {hiddenLines > 0 && canShow ? (
            <button type="button" aria-busy={isLoading} onClick={props.onShow}>
              {words}
            </button>
          ) : hiddenLines > 0 ? (
            `${countedLines(hiddenLines)} not shown`
          ) : isNew ? (
            'A new file'
          ) : (
            'From the first line'
          )}
        </td>
      </tr>
    </tbody>
  )
}

function countedLines(lines: number): string {
  return countWords(lines, 'unchanged line')
}

/** A hunk that changes white space only, folded until the person opens it. */
export function Fold(props: { hunk: DiffHunk; columns: number; onShow: (hunk: DiffHunk) => void }) {
  const { hunk, columns, onShow } = props
  const added = hunk.changes.filter(({ type }) => type === 'insert').length
  return (
    <tbody className="diff-head">
      <tr>
        <td colSpan={columns}>
          <button type="button" onClick={() => onShow(hunk)}>
            {whiteSpaceWords(added)} (show {added === 1 ? 'it' : 'them'})
          </button>
        </td>
      </tr>
    </tbody>
  )
}
