import type { KeyboardEvent } from 'react'

/**
 * Escape leaves the field of a comment: the focus goes to the form around it, where single keys are
 * commands again. What was written stays.
 */
export function leaveField(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Escape') return
  event.currentTarget.closest<HTMLElement>('.comment-form')?.focus()
}
