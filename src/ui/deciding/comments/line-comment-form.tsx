import { useLayoutEffect } from 'react'
import type { CommentAnchor } from '#domain/requests/comment-anchor.ts'
import { callApi } from '../../api/call-api.ts'
import { CommentField } from './comment-field.tsx'
import type { CommentedRequest } from './commented-request.ts'
import { lineDraftField } from './line-draft.ts'

/** The form of a comment at its line. */
export function LineCommentForm(props: {
  requestId: string
  state: CommentedRequest['state']
  anchor: CommentAnchor
  isNewest: boolean
  onDrawn: (isDrawn: boolean) => void
  onDone: () => void
}) {
  const { requestId, anchor, isNewest, onDrawn, onDone } = props
  // Before the browser paints, so that the field is never in two places.
  useLayoutEffect(() => {
    onDrawn(true)
    return () => onDrawn(false)
  }, [onDrawn])
  const isPending = props.state === 'pending'
  const params = { id: requestId }
  return (
    <div className="column line-comment">
      <CommentField
        field={{
          label: `Comment on ${anchor.side} line ${anchor.line}`,
          description: readersOfComment(isPending, isNewest),
          minRows: 2,
        }}
        initialText=""
        draft={[requestId, lineDraftField(anchor)]}
        canSave={isPending && isNewest}
        buttons={{ save: 'Comment on the line', size: 'xs' }}
        save={(text) => callApi('commentRequest', { params, body: { text, anchor } })}
        onDone={onDone}
      />
    </div>
  )
}

/** Who will read a comment on a line. */
function readersOfComment(isPending: boolean, isNewest: boolean): string {
  if (!isPending) return 'It no longer waits: the agent does not read this.'
  return isNewest
    ? 'The agent reads it if the call is denied.'
    : 'This changed meanwhile: show the new revision first.'
}

/**
 * The form of a comment that somebody was writing at a line, if a new revision does not show that
 * line. The text can be saved as a comment on the request, which the agent does not read, or
 * discarded.
 */
export function LostLineComment(props: {
  requestId: string
  isPending: boolean
  anchor: CommentAnchor
  onDone: () => void
}) {
  const { requestId, isPending, anchor, onDone } = props
  const params = { id: requestId }
  return (
    <div className="card">
      <CommentField
        field={{
          label: `Your comment on ${anchor.side} line ${anchor.line}, which is not shown any more`,
          description: 'Without its line it is for your colleagues; the agent does not read it.',
          minRows: 2,
        }}
        initialText=""
        draft={[requestId, lineDraftField(anchor)]}
        canSave={isPending}
        buttons={{ save: 'Comment without the line', size: 'xs' }}
        save={(text) => callApi('commentRequest', { params, body: { text } })}
        message="Comment saved"
        onDone={onDone}
      />
    </div>
  )
}
