import { Button } from '@mantine/core'
import { useState } from 'react'
import { callApi } from '../../api/call-api.ts'
import { useMe } from '../../api/queries.ts'
import { useFocusReturn } from '../../states/use-focus-return.ts'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { CommentField } from './comment-field.tsx'
import type { Comment, CommentedRequest } from './commented-request.ts'
import { useCommentAct } from './use-comment-act.ts'
import { verbs } from '../../words/verbs.ts'

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
            <VisibleText text={comment.text} />
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

function EditComment(props: {
  request: Pick<CommentedRequest, 'id' | 'state'>
  comment: Comment
  onDone: () => void
}) {
  const { request, comment, onDone } = props
  const params = { id: request.id, commentId: comment.id }
  // What was written over an earlier text does not stand in the place of a later one.
  const newest = comment.editedAt ?? comment.at
  const [version] = useState(newest)
  const isReplaced = version !== newest
  return (
    <div className="column">
      <CommentField
        field={{
          'aria-label': 'Text of the comment',
          minRows: 1,
        }}
        initialText={comment.text}
        draft={[request.id, `edit ${comment.id} ${version}`]}
        note={
          isReplaced
            ? `You saved this elsewhere meanwhile: “${comment.text}”. Save replaces it.`
            : undefined
        }
        canSave={request.state === 'pending'}
        buttons={{ save: verbs.save, size: 'compact-sm' }}
        save={(text) => callApi('editComment', { params, body: { text } })}
        message="Comment edited"
        onDone={onDone}
      />
    </div>
  )
}
