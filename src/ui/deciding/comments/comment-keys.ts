import type { KeyboardEvent, RefObject } from 'react'
import { useShortcut } from '../../keyboard/keyboard-provider.tsx'

/**
 * Escape leaves the field of a comment: the focus goes to the form around it, where single keys are
 * commands again. What was written stays.
 */
export function leaveField(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Escape') return
  event.currentTarget.closest<HTMLElement>('.comment-form')?.focus()
}

/**
 * The keys that submit a decision save the comment while the focus is in its form: `save` is `null`
 * where it cannot be saved, and then they do nothing.
 */
export function useSaveKeys(form: RefObject<HTMLElement | null>, save: (() => void) | null): void {
  const saveHere = (): void => save?.()
  useShortcut('submit', saveHere, form)
  useShortcut('submitNext', saveHere, form)
}
