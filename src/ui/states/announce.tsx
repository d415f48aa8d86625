import { useSyncExternalStore } from 'react'

let message = ''
const listeners = new Set<() => void>()

/** Tells assistive technology something, politely. */
export function announce(text: string): void {
  // The same words twice are only read twice when they differ.
  message = text === message ? `${text}\u00A0` : text
  for (const listener of listeners) listener()
}

/** The page's one live region. */
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
