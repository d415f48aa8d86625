import { useCallback, useMemo, useState } from 'react'
import type { CommentAnchor } from '#domain/requests/comment-anchor.ts'
import { callApi } from '../../api/call-api.ts'
import type { LineNotes } from '../../effect/note-widgets.ts'
import { CommentEntry } from './comment-entry.tsx'
import { CommentField } from './comment-field.tsx'
import type { Comment, CommentedRequest } from './commented-request.ts'

/**
 * The comments below their lines, and the form of a new one. When a colleague has changed the call,
 * they stay at the lines that are shown, and a comment is saved once the new ones are. Those that
 * come meanwhile may be about the new lines: they are drawn at those.
 */
export function useLineNotes(
  request: Pick<CommentedRequest, 'id' | 'state'> & { readonly comments: readonly Comment[] },
  isNewest: boolean,
): LineNotes {
  const [writing, setWriting] = useState<CommentAnchor | null>(null)
  const { id, state } = request
  const comments = useCommentsHere(request.comments, isNewest)
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
          {writes && (
            <NoteForm
              requestId={id}
              state={state}
              anchor={anchor}
              isNewest={isNewest}
              onDone={() => setWriting(null)}
            />
          )}
        </div>
      )
    },
    [comments, writing, id, state, isNewest],
  )
  const isOpen = state === 'pending' && isNewest
  return useMemo(() => ({ below, onWrite: isOpen ? setWriting : null }), [below, isOpen])
}

/** The comments that may be about the lines which are shown: nothing else says so. */
function useCommentsHere(comments: readonly Comment[], isNewest: boolean): readonly Comment[] {
  const [earlier, setEarlier] = useState(comments)
  if (isNewest && earlier !== comments) setEarlier(comments)
  return useMemo(() => {
    if (isNewest) return comments
    const ids = new Set(earlier.map(({ id }) => id))
    return comments.filter(({ id }) => ids.has(id))
  }, [comments, earlier, isNewest])
}

function isAt(one: CommentAnchor | null, other: CommentAnchor): boolean {
  return one?.file === other.file && one.side === other.side && one.line === other.line
}

function NoteForm(props: {
  requestId: string
  state: CommentedRequest['state']
  anchor: CommentAnchor
  isNewest: boolean
  onDone: () => void
}) {
  const { requestId, anchor, isNewest, onDone } = props
  const isPending = props.state === 'pending'
  const params = { id: requestId }
  return (
    <div className="column line-note">
      <CommentField
        field={{
          label: `Comment on ${anchor.side} line ${anchor.line}`,
          description: noteWords(isPending, isNewest),
          minRows: 2,
        }}
        initialText=""
        draft={[requestId, `line ${anchor.side} ${anchor.line} ${anchor.file}`]}
        canSave={isPending && isNewest}
        buttons={{ save: 'Comment on the line', size: 'xs' }}
        save={(text) => callApi('commentRequest', { params, body: { text, anchor } })}
        onDone={onDone}
      />
    </div>
  )
}

/** What comes of a comment on a line. */
function noteWords(isPending: boolean, isNewest: boolean): string {
  if (!isPending) return 'It no longer waits: the agent does not read this.'
  return isNewest
    ? 'The agent reads it if the call is denied.'
    : 'This changed meanwhile: show the new revision first.'
}
