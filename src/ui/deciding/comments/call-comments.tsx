import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useAriaKeys } from '../../keyboard/keyboard-provider.tsx'
import { CommentForm } from './comment-form.tsx'
import { CommentList, NewComments } from './comments.tsx'
import type { CommentedRequest } from './commented-request.ts'
import type { SteadyComments } from './use-steady-comments.ts'
import { verbs } from '../../words/verbs.ts'

/**
 * The comments on one call of several on a page, and a field that opens on request or by
 * `startComment`.
 */
export function CallComments(props: { request: CommentedRequest; comments: SteadyComments }) {
  const { request, comments } = props
  const [isWriting, setWriting] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const keys = useAriaKeys('comment')
  useEffect(() => {
    if (isWriting) field.current?.focus()
  }, [isWriting])
  const { number } = request
  const { visible } = comments
  return (
    <div
      className="column call-comments"
      role="group"
      tabIndex={-1}
      aria-label={`Comments on #${number}`}
    >
      {visible.length > 0 && <CommentList request={request} comments={visible} />}
      {isWriting && <CommentForm request={request} label={`Comment on #${number}`} field={field} />}
      <div className="row">
        {!isWriting && (
          <Button size="xs" variant="default" onClick={() => setWriting(true)} {...keys}>
            {verbs.comment}
          </Button>
        )}
        <NewComments comments={comments} />
      </div>
    </div>
  )
}

/** Opens the comment field within a card and sets the focus on it. */
export function startComment(card: ParentNode | null): void {
  const comments = card?.querySelector('.call-comments')
  const field = comments?.querySelector<HTMLElement>(':scope > .comment-form textarea')
  if (field) field.focus()
  else comments?.querySelector<HTMLElement>(':scope > .row > button')?.click()
}
