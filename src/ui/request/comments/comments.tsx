import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { CommentEntry } from './comment-entry.tsx'
import { CommentForm } from './comment-form.tsx'
import type { CommentedRequest } from './commented.ts'

const titleId = 'comments-title'

/**
 * What colleagues have to say about the request. The agent reads those on lines, with a denial that
 * comes after them (product.md 41), and no others.
 */
export function Comments({ request }: { request: CommentedRequest }) {
  const field = useRef<HTMLTextAreaElement>(null)
  useShortcut('comment', () => field.current?.focus())
  const { hash } = useLocation()
  useEffect(() => {
    // From a row of the list: who comes to write begins there.
    if (hash === `#${titleId}`) field.current?.focus()
  }, [hash])
  return (
    <section className="card" aria-labelledby={titleId}>
      <h2 id={titleId}>Comments</h2>
      <CommentList request={request} />
      <CommentForm request={request} label="Comment" field={field} />
    </section>
  )
}

/** All comments of a request, in the order of their writing. */
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
