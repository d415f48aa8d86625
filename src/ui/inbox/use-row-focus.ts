import type { RefObject } from 'react'
import { flushSync } from 'react-dom'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'

/**
 * J and K move the focus over the rows' links, X selects the focused one. The returned function
 * carries out a change of the list, and hands the focus on where the change takes away what had it.
 */
export function useRowFocus(
  container: RefObject<HTMLElement | null>,
  toggle: (id: string) => void,
): (change: () => void) => void {
  const rows = (): HTMLElement[] => [...(container.current?.querySelectorAll('li') ?? [])]
  const focused = (): number => rows().findIndex((row) => row.contains(document.activeElement))
  const focus = (row: HTMLElement | undefined): void => {
    const link = row?.querySelector<HTMLElement>('.request-link')
    link?.focus()
    link?.scrollIntoView({ block: 'nearest' })
  }
  useShortcut('next', () => focus(rows()[Math.min(focused() + 1, rows().length - 1)]))
  useShortcut('previous', () => focus(rows()[Math.max(focused() - 1, 0)]))
  useShortcut('select', () => {
    const id = rows()[focused()]?.dataset['request']
    if (id !== undefined) toggle(id)
  })
  return (change) => {
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
  }
}
