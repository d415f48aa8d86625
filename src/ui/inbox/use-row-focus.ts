import type { RefObject } from 'react'
import { flushSync } from 'react-dom'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'
import { useRowKeys } from '../keyboard/use-row-keys.ts'

/** The focus within the rows of a list. */
export interface RowFocus {
  /** id of the request whose row has the focus, or else of the open request */
  readonly current: () => string | null
  readonly focusRow: (id: string) => void
  /** Applies a change of the list, and moves the focus if the change removes its row. */
  readonly keepFocus: (change: () => void) => void
}

/**
 * J and K move the focus between the rows, unless a request is open, which then handles these keys;
 * X selects the focused row or the open request.
 */
export function useRowFocus(
  container: RefObject<HTMLElement | null>,
  isCardOpen: boolean,
  toggle: (id: string) => void,
): RowFocus {
  const rows = (): HTMLElement[] => [
    ...(container.current?.querySelectorAll<HTMLElement>('.request-row') ?? []),
  ]
  const indexOfFocus = (): number => rows().findIndex((row) => row.contains(document.activeElement))
  const focus = (row: HTMLElement | undefined): void => {
    const link = row?.querySelector<HTMLElement>('.request-link')
    link?.focus()
    link?.scrollIntoView({ block: 'nearest' })
  }
  const current = (): string | null => {
    const all = rows()
    const row = all[indexOfFocus()] ?? all.find((one) => one.dataset['opened'] === 'true')
    return row?.dataset['request'] ?? null
  }
  useRowKeys(isCardOpen ? null : '.request-link')
  useShortcut('select', () => {
    const id = current()
    if (id !== null) toggle(id)
  })
  return {
    current,
    focusRow: (id) => focus(rows().find((row) => row.dataset['request'] === id)),
    keepFocus(change) {
      const had = document.activeElement
      const at = indexOfFocus()
      const before = rows()
      flushSync(change)
      if (had === null || had.isConnected) return
      // The next row that stays, else the one before. The bar moves the focus to the first row
      // itself.
      const near = at < 0 ? [] : [...before.slice(at), ...before.slice(0, at).toReversed()]
      const next = near.find((row) => row.isConnected) ?? rows()[0]
      if (next === undefined) document.querySelector<HTMLElement>('h1')?.focus()
      else focus(next)
    },
  }
}
