import { useCallback, useMemo, useState } from 'react'
import { Button } from '@mantine/core'
import type { CommentAnchor } from '#domain/requests/comment-anchor.ts'
import { useMe } from '../../api/queries.ts'
import type { LineComments } from '../../effect/line-comments.ts'
import { draftedFields } from '../../states/draft.ts'
import { later } from '../../states/later.tsx'
import { CommentEntry } from './comment-entry.tsx'
import type { Comment, CommentedRequest } from './commented-request.ts'
import { lineOfDraftField } from './line-draft.ts'
import { verbs } from '../../words/verbs.ts'

/** Loaded when somebody writes at a line. */
const LineCommentForm = later(() =>
  import('./line-comment-form.tsx').then((module) => module.LineCommentForm),
)
const LostLineComment = later(() =>
  import('./line-comment-form.tsx').then((module) => module.LostLineComment),
)

/**
 * The comments below their lines, and the form of a new one. When a colleague has changed the call,
 * the comments stay at the lines that are shown. A comment is saved after the new lines are shown.
 * Comments that arrive in the meantime may be about the new lines, and are drawn there. `revision`
 * is the one on the screen. `lost` lists the comments that the person began before the page was
 * opened and has not sent. Below them is the form of a new comment if this revision does not draw
 * its line.
 */
export function useLineComments(
  request: Pick<CommentedRequest, 'id' | 'state'> & { readonly comments: readonly Comment[] },
  isNewest: boolean,
  revision: number,
): LineComments {
  const [writing, setWriting] = useState<(CommentAnchor & { since: number }) | null>(null)
  const [isDrawn, setDrawn] = useState(false)
  const { id, state } = request
  const comments = useCommentsHere(request.comments, isNewest)
  const [unsent, setUnsent] = useUnsentLines(id)
  const finish = useCallback(() => {
    setUnsent((anchors) => anchors.filter((anchor) => !isAt(writing, anchor)))
    setWriting(null)
  }, [writing, setUnsent])
  const below = useCallback<LineComments['below']>(
    (anchor) => {
      const here = comments.filter((comment) => isAt(comment.anchor, anchor))
      const writes = isAt(writing, anchor)
      if (here.length === 0 && !writes) return null
      return (
        <div className="line-comments">
          {here.map((comment) => (
            <div key={comment.id} className="line-comment">
              <CommentEntry request={{ id, state }} comment={comment} showsLine={false} />
            </div>
          ))}
          {writes && (
            <LineCommentForm
              requestId={id}
              state={state}
              anchor={anchor}
              isNewest={isNewest}
              onDrawn={setDrawn}
              onDone={finish}
            />
          )}
        </div>
      )
    },
    [comments, writing, finish, id, state, isNewest],
  )
  const isOpen = state === 'pending' && isNewest
  const write = useCallback(
    (anchor: CommentAnchor) => setWriting({ ...anchor, since: revision }),
    [revision],
  )
  const lostAnchor = writing === null || writing.since === revision || isDrawn ? null : writing
  return useMemo(
    () => ({
      below,
      onWrite: isOpen ? write : null,
      formAt: writing,
      lost: (
        <>
          <UnsentLineComments
            anchors={unsent}
            onContinue={(anchor) => setWriting({ ...anchor, since: noRevision })}
          />
          {lostAnchor && (
            <LostLineComment
              requestId={id}
              isPending={state === 'pending'}
              anchor={lostAnchor}
              onDone={finish}
            />
          )}
        </>
      ),
    }),
    [below, isOpen, write, writing, unsent, lostAnchor, finish, id, state],
  )
}

/** The revision of a line whose comment was begun before the page was opened. */
const noRevision = -1

/** The lines at which the person has begun a comment before, of any revision. */
function useUnsentLines(requestId: string) {
  const { person } = useMe()
  return useState<readonly CommentAnchor[]>(() =>
    draftedFields(requestId, person.id).flatMap((field) => lineOfDraftField(field) ?? []),
  )
}

/**
 * The comments that may be about the lines on the screen. A comment does not say which revision it
 * is about.
 */
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

/** Comments on lines that the person began before the page was opened, and has not sent. */
function UnsentLineComments(props: {
  anchors: readonly CommentAnchor[]
  onContinue: (anchor: CommentAnchor) => void
}) {
  return props.anchors.map((anchor) => (
    <div key={`${anchor.side} ${anchor.line} ${anchor.file}`} className="card row">
      <span className="small">
        Your comment on {anchor.side} line {anchor.line} is not sent.
      </span>
      <Button size="xs" variant="default" onClick={() => props.onContinue(anchor)}>
        {verbs.continueComment}
      </Button>
    </div>
  ))
}
