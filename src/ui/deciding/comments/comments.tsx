import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { CommentEntry } from './comment-entry.tsx'
import { CommentForm } from './comment-form.tsx'
import type { CommentedRequest } from './commented-request.ts'
import { verbs } from '../../words/verbs.ts'
import './comments.css'

const titleId = 'comments-title'

/**
 * The comments on a request. With a denial, the agent reads those on lines that were written before
 * it (product.md 41), and no others.
 */
export function Comments({ request }: { request: CommentedRequest }) {
  const field = useRef<HTMLTextAreaElement>(null)
  useShortcut('comment', () => field.current?.focus())
  const { hash } = useLocation()
  useEffect(() => {
    // The person came from a row of the list to write a comment.
    if (hash === `#${titleId}`) field.current?.focus()
  }, [hash])
  return (
    <section className="card" aria-labelledby={titleId}>
      <h2 id={titleId}>Comments</h2>
      <CommentList request={request} />
      <CommentForm request={request} label={verbs.comment} field={field} />
    </section>
  )
}

/** All comments of a request, oldest first. */
export function CommentList({ request }: { request: CommentedRequest }) {
  return (
    <ul className="comments">
      {request.comments.map((comment) => (
        <li key={comment.id}>
          <CommentEntry request={request} comment={comment} showsLine />
        </li>
      ))}
    </ul>
  )
}
