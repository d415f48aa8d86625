import { useSyncExternalStore } from 'react'

let message = ''
const listeners = new Set<() => void>()

/** Announces a text to assistive technology, politely. */
export function announce(text: string): void {
  // A screen reader reads the same text again only if it differs.
  message = text === message ? `${text}\u00A0` : text
  for (const listener of listeners) listener()
}

/** The live region of the page. */
export function Announcements() {
  const text = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => message,
  )
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  )
}
