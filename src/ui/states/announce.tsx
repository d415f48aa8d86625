import { useSyncExternalStore } from 'react'
import { newListeners } from '#domain/listeners.ts'

let message = ''
const listeners = newListeners()

/** Announces a text to assistive technology, politely. */
export function announce(text: string): void {
  // A screen reader reads the same text again only if it differs.
  message = text === message ? `${text}\u00A0` : text
  listeners.notify()
}

/** The live region of the page. */
export function Announcements() {
  const text = useSyncExternalStore(listeners.subscribe, () => message)
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  )
}
