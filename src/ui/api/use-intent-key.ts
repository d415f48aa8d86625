import { useMemo, useRef } from 'react'
import { keepInTab } from './keep-in-tab.ts'
import { newIdempotencyKey } from './idempotency-key.ts'

/** The idempotency keys of a form. */
export interface IntentKey {
  /**
   * The key for a body. The same body gets the same key, so that a double click or a lost answer
   * counts once. Another body gets another key.
   */
  of(body: unknown): string
  /** From now on even the same body gets a new key. */
  renew(): void
}

interface Intent {
  readonly body: string
  readonly key: string
}

/** The key of a longer body is not stored, and lasts only while the page is open. */
const maxStoredCharacters = 100_000

/** A form's idempotency keys. With `storedAs` a key survives a reload, as a draft does. */
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
          keepInTab(name, JSON.stringify(last.current))
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
  const storedKey = name === null ? null : sessionStorage.getItem(name)
  return storedKey === null ? null : (JSON.parse(storedKey) as Intent)
}
