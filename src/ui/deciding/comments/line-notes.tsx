import { useCallback, useMemo, useState } from 'react'
import type { CommentAnchor } from '#domain/requests/comment-anchor.ts'
import { callApi } from '../../api/call-api.ts'
import type { LineNotes } from '../../effect/note-widgets.ts'
import { CommentEntry } from './comment-entry.tsx'
import { CommentField } from './comment-field.tsx'
import type { Comment, CommentedRequest } from './commented-request.ts'

/** The comments below their lines, and the form of a new one. */
export function useLineNotes(
  request: Pick<CommentedRequest, 'id' | 'state'> & { readonly comments: readonly Comment[] },
): LineNotes {
  const [writing, setWriting] = useState<CommentAnchor | null>(null)
  const { id, comments, state } = request
  const below = useCallback<LineNotes['below']>(
    (anchor) => {
      const here = comments.filter((comment) => isAt(comment.anchor, anchor))
      const writes = isAt(writing, anchor)
      if (here.length === 0 && !writes) return null
      return (
        <div className="line-notes">
          {here.map((comment) => (
            <div key={comment.id} className="line-note">
              <CommentEntry request={{ id, state }} comment={comment} showsLine={false} />
            </div>
          ))}
          {writes && <NoteForm requestId={id} anchor={anchor} onDone={() => setWriting(null)} />}
        </div>
      )
    },
    [comments, writing, id, state],
  )
  const isOpen = state === 'pending'
  return useMemo(() => ({ below, onWrite: isOpen ? setWriting : null }), [below, isOpen])
}

function isAt(one: CommentAnchor | null, other: CommentAnchor): boolean {
  return one?.file === other.file && one.side === other.side && one.line === other.line
}

function NoteForm(props: { requestId: string; anchor: CommentAnchor; onDone: () => void }) {
  const { requestId, anchor, onDone } = props
  const params = { id: requestId }
  return (
    <div className="column line-note">
      <CommentField
        field={{
          label: `Comment on ${anchor.side} line ${anchor.line}`,
          description: 'The agent reads it if the call is denied.',
          minRows: 2,
        }}
        initialText=""
        buttons={{ save: 'Comment on the line', size: 'xs' }}
        save={(text) => callApi('commentRequest', { params, body: { text, anchor } })}
        onDone={onDone}
      />
    </div>
  )
}
