import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useAriaKeys } from '../../keyboard/keyboard-provider.tsx'
import { CommentForm } from './comment-form.tsx'
import { CommentList, NewComments } from './comments.tsx'
import type { CommentedRequest } from './commented-request.ts'
import type { SteadyComments } from './use-steady-comments.ts'
import { verbs } from '../../words/verbs.ts'

/**
 * The comments on one call of several on a page, and a field that opens on request or by
 * `startComment`. `line`: a line above that has room for the button, if there is one.
 */
export function CallComments(props: {
  request: CommentedRequest
  comments: SteadyComments
  line: HTMLElement | null
}) {
  const { request, comments, line } = props
  const [isWriting, setWriting] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const keys = useAriaKeys('comment')
  useEffect(() => {
    if (isWriting) field.current?.focus()
  }, [isWriting])
  const { number } = request
  const { visible } = comments
  const start = (
    <div className="row comment-start">
      {!isWriting && (
        <Button
          size={line === null ? 'xs' : 'compact-sm'}
          variant={line === null ? 'default' : 'subtle'}
          color="gray"
          onClick={() => setWriting(true)}
          {...keys}
        >
          {verbs.comment}
        </Button>
      )}
      <NewComments comments={comments} />
    </div>
  )
  return (
    <div
      className="column call-comments"
      role="group"
      tabIndex={-1}
      aria-label={`Comments on #${number}`}
    >
      {visible.length > 0 && <CommentList request={request} comments={visible} />}
      {isWriting && <CommentForm request={request} label={`Comment on #${number}`} field={field} />}
      {line === null ? start : createPortal(start, line)}
    </div>
  )
}

/** Opens the comment field within a card and sets the focus on it. */
export function startComment(card: ParentNode | null): void {
  const field = card?.querySelector<HTMLElement>('.call-comments > .comment-form textarea')
  if (field) field.focus()
  else card?.querySelector<HTMLElement>('.comment-start > button')?.click()
}
