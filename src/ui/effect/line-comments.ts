import { useMemo, type ReactNode } from 'react'
import { getChangeKey, type ChangeData } from 'react-diff-view'
import type { CommentAnchor } from '#domain/requests/comment-anchor.ts'
import type { DiffChange, DiffHunk } from '#domain/tools/unified-diff.ts'

/** Comments below the lines of a difference, and how to write one. */
export interface LineComments {
  /** the content below a line; null: nothing */
  readonly below: (anchor: CommentAnchor) => ReactNode
  readonly onWrite: ((anchor: CommentAnchor) => void) | null
  /** the line of the form of a new comment; null: there is none */
  readonly formAt: CommentAnchor | null
  /** above the effect: comments that were begun earlier, or at a line that is no longer drawn */
  readonly lost: ReactNode
}

/** The comments of a difference, by change, and the click on a line number that writes one. */
export function useLineWidgets(
  lineComments: LineComments | undefined,
  path: string,
  hunks: readonly DiffHunk[],
  openedHunks: readonly DiffHunk[],
) {
  const onWrite = lineComments?.onWrite ?? null
  const gutterEvents = useMemo(
    () =>
      onWrite && {
        onClick: ({ change }: { readonly change: ChangeData | null }) =>
          change && onWrite(anchorOf(path, change as DiffChange)),
      },
    [onWrite, path],
  )
  const below = lineComments?.below
  const widgets = useMemo(() => {
    const changes =
      below === undefined ? [] : [...hunks, ...openedHunks].flatMap((hunk) => hunk.changes)
    return Object.fromEntries(
      changes.flatMap((change) => {
        const widget = below?.(anchorOf(path, change)) ?? null
        return widget === null ? [] : [[getChangeKey(change), widget] as const]
      }),
    )
  }, [below, hunks, openedHunks, path])
  return { gutterEvents, widgets }
}

/** The anchor of a line. An unchanged line is a line of the new side. */
function anchorOf(file: string, change: DiffChange): CommentAnchor {
  if (change.type === 'normal') return { file, side: 'new', line: change.newLineNumber }
  return { file, side: change.type === 'insert' ? 'new' : 'old', line: change.lineNumber }
}
