import { useState } from 'react'
import { callApi } from '../../api/call-api.ts'
import { CommentField } from './comment-field.tsx'
import type { Comment, CommentedRequest } from './commented-request.ts'
import { verbs } from '../../words/verbs.ts'

/** The field of a comment that its author edits. */
export function EditComment(props: {
  request: Pick<CommentedRequest, 'id' | 'state'>
  comment: Comment
  onDone: () => void
}) {
  const { request, comment, onDone } = props
  const params = { id: request.id, commentId: comment.id }
  // A text that was written over an earlier version does not replace a later version.
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
