import { useMemo, useRef } from 'react'
import { newIdempotencyKey } from './idempotency-key.ts'

/** The idempotency key of what a person sends. */
export interface IntentKey {
  /**
   * The same body again, after a double click or an answer that never came, has the same key, and
   * counts once. Another body has another key.
   */
  of(body: unknown): string
  /** What is sent from now on is meant anew, the same body too. */
  renew(): void
}

interface Intent {
  readonly body: string
  readonly key: string
}

/** A longer body has its key for as long as the page is open. */
const maxStoredCharacters = 100_000

/** The key in a form. With `storedAs` it survives a reload of the page, as a draft does. */
export function useIntentKey(storedAs?: string): IntentKey {
  const name = storedAs === undefined ? null : `countersign.intent.${storedAs}`
  const last = useRef<Intent | null>(null)
  return useMemo(
    () => ({
      of: (body) => {
        const text = JSON.stringify(body)
        last.current ??= storedIntent(name)
        if (last.current?.body !== text) last.current = { body: text, key: newIdempotencyKey() }
        if (name !== null && text.length <= maxStoredCharacters) {
          sessionStorage.setItem(name, JSON.stringify(last.current))
        }
        return last.current.key
      },
      renew: () => {
        last.current = null
        if (name !== null) sessionStorage.removeItem(name)
      },
    }),
    [name],
  )
}

function storedIntent(name: string | null): Intent | null {
  const stored = name === null ? null : sessionStorage.getItem(name)
  return stored === null ? null : (JSON.parse(stored) as Intent)
}
