import type { RefObject } from 'react'
import { flushSync } from 'react-dom'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'

/** How the focus goes over the rows of a list. */
export interface RowFocus {
  /** id of the request whose row has the focus, or else of the open one */
  readonly current: () => string | null
  readonly focusRow: (id: string) => void
  /** Carries out a change of the list, and hands the focus on where it takes away what had it. */
  readonly keepFocus: (change: () => void) => void
}

/**
 * J and K move the focus over the rows' links, unless a card is open, which has these keys then; X
 * selects the focused row, or that of the card.
 */
export function useRowFocus(
  container: RefObject<HTMLElement | null>,
  isCardOpen: boolean,
  toggle: (id: string) => void,
): RowFocus {
  const rows = (): HTMLElement[] => [
    ...(container.current?.querySelectorAll<HTMLElement>('.request-row') ?? []),
  ]
  const focused = (): number => rows().findIndex((row) => row.contains(document.activeElement))
  const focus = (row: HTMLElement | undefined): void => {
    const link = row?.querySelector<HTMLElement>('.request-link')
    link?.focus()
    link?.scrollIntoView({ block: 'nearest' })
  }
  const current = (): string | null => {
    const all = rows()
    const row = all[focused()] ?? all.find((one) => one.dataset['opened'] === 'true')
    return row?.dataset['request'] ?? null
  }
  const move = (by: number): void => {
    const to = Math.max(0, Math.min(focused() + by, rows().length - 1))
    focus(rows()[to])
  }
  useShortcut('next', isCardOpen ? null : () => move(1))
  useShortcut('previous', isCardOpen ? null : () => move(-1))
  useShortcut('select', () => {
    const id = current()
    if (id !== null) toggle(id)
  })
  return {
    current,
    focusRow: (id) => focus(rows().find((row) => row.dataset['request'] === id)),
    keepFocus(change) {
      const had = document.activeElement
      const at = focused()
      const before = rows()
      flushSync(change)
      if (had === null || had.isConnected) return
      // The next row that stays, else the one before; the bar itself hands on to the first.
      const near = at < 0 ? [] : [...before.slice(at), ...before.slice(0, at).toReversed()]
      const next = near.find((row) => row.isConnected) ?? rows()[0]
      if (next === undefined) document.querySelector<HTMLElement>('h1')?.focus()
      else focus(next)
    },
  }
}
