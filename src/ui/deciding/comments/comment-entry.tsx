import { Button } from '@mantine/core'
import { useState } from 'react'
import { callApi } from '../../api/call-api.ts'
import { useMe } from '../../api/queries.ts'
import { later } from '../../states/later.tsx'
import { useFocusReturn } from '../../states/use-focus-return.ts'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import type { Comment, CommentedRequest } from './commented-request.ts'
import { useCommentAct } from './use-comment-act.ts'
import { verbs } from '../../words/verbs.ts'

/** Loaded when somebody edits a comment. */
const EditComment = later(() => import('./edit-comment.tsx').then((module) => module.EditComment))

/**
 * One comment: its author, time, line if `showsLine`, and text. Its author can edit and remove it
 * while the request is pending.
 */
export function CommentEntry(props: {
  request: Pick<CommentedRequest, 'id' | 'state'>
  comment: Comment
  showsLine: boolean
}) {
  const { request, comment, showsLine } = props
  const { person } = useMe()
  const [isEditing, setEditing] = useState(false)
  // The buttons and the field keep their room, and the text, when a colleague decides meanwhile.
  const [wasPending] = useState(request.state === 'pending')
  const { anchor } = comment
  const isOwn = comment.person.id === person.id && wasPending
  const place = useFocusReturn<HTMLDivElement>(isOwn && isEditing)
  return (
    <div ref={place} tabIndex={-1}>
      <p className="small">
        <strong>{comment.person.name}</strong>{' '}
        <span className="dim">
          <Time at={comment.at} />
          {comment.editedAt !== null && (
            <>
              , edited <Time at={comment.editedAt} />
            </>
          )}
        </span>
        {showsLine && anchor !== null && (
          <>
            {' '}
            on{' '}
            <code>
              <VisibleText text={anchor.file} />
            </code>
            , {anchor.side} line {anchor.line}
          </>
        )}
      </p>
      {isOwn && isEditing ? (
        <EditComment {...props} onDone={() => setEditing(false)} />
      ) : (
        <>
          <p>
            <VisibleText text={comment.text} isProse />
          </p>
          {isOwn && <OwnActions {...props} onEdit={() => setEditing(true)} />}
        </>
      )}
    </div>
  )
}

function OwnActions(props: {
  request: Pick<CommentedRequest, 'id' | 'state'>
  comment: Comment
  onEdit: () => void
}) {
  const { request, comment, onEdit } = props
  const isClosed = request.state !== 'pending'
  const { act, busy, refusal } = useCommentAct()
  const params = { id: request.id, commentId: comment.id }
  return (
    <>
      <div className="row">
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          disabled={isClosed}
          onClick={onEdit}
        >
          {verbs.edit}
        </Button>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          loading={busy}
          disabled={isClosed}
          onClick={() => void act(() => callApi('removeComment', { params }), 'Comment removed')}
        >
          {verbs.remove}
        </Button>
      </div>
      {refusal !== null && <p role="alert">{refusal}</p>}
    </>
  )
}
