import { Button } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { useAriaKeys, useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { CommentEntry } from './comment-entry.tsx'
import { CommentForm } from './comment-form.tsx'
import { useFocusReturn } from '../../states/use-focus-return.ts'
import type { Comment, CommentedRequest } from './commented-request.ts'
import type { SteadyComments } from './use-steady-comments.ts'
import { verbs } from '../../words/verbs.ts'
import './comments.css'

export const commentsTitleId = 'comments-title'

/**
 * The comments on a request. With a denial, the agent reads those on lines that were written before
 * it (product.md 41), and no others.
 */
export function Comments(props: { request: CommentedRequest; comments: SteadyComments }) {
  const { request, comments } = props
  const field = useRef<HTMLTextAreaElement>(null)
  useShortcut('comment', () => field.current?.focus())
  const { hash } = useLocation()
  useEffect(() => {
    // The person came from a row of the list to write a comment.
    if (hash === `#${commentsTitleId}`) field.current?.focus()
  }, [hash])
  return (
    <section className="card comments-card" aria-labelledby={commentsTitleId}>
      <h2 id={commentsTitleId} tabIndex={-1}>
        Comments
      </h2>
      <NewComments comments={comments} />
      <CommentList request={request} comments={comments.visible} />
      <CommentForm request={request} label={verbs.comment} field={field} />
    </section>
  )
}

/**
 * The button that shows the comments that colleagues have written meanwhile. It appears in a line
 * that exists already, so that nothing moves.
 */
export function NewComments({ comments: { newCount, showNew } }: { comments: SteadyComments }) {
  const place = useFocusReturn<HTMLSpanElement>(newCount > 0)
  return (
    <span ref={place} tabIndex={-1} role="status" className="new-comments">
      {newCount > 0 && (
        <Button size="compact-sm" variant="light" onClick={showNew}>
          Show {countWords(newCount, 'new comment')}
        </Button>
      )}
    </span>
  )
}

/** The same button beside a decision, with its key. `onShow` also scrolls to the comments. */
export function NewCommentsHere(props: { count: number; onShow: () => void }) {
  const { count, onShow } = props
  const keys = useAriaKeys('showNew')
  useShortcut('showNew', count > 0 ? onShow : null)
  if (count === 0) return null
  return (
    <Button size="compact-xs" variant="light" onClick={onShow} {...keys}>
      {countWords(count, 'new comment')}: show {count === 1 ? 'it' : 'them'}
    </Button>
  )
}

/** Comments on a request, oldest first. */
export function CommentList(props: { request: CommentedRequest; comments: readonly Comment[] }) {
  const { request, comments } = props
  return (
    <ul className="comments">
      {comments.map((comment) => (
        <li key={comment.id}>
          <CommentEntry request={request} comment={comment} showsLine />
        </li>
      ))}
    </ul>
  )
}
