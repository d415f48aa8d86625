import type { RefObject } from 'react'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'

/**
 * J and K move the focus over the rows' links, X selects the focused one. The returned function hands
 * the focus on when its row is about to leave.
 */
export function useRowFocus(
  container: RefObject<HTMLElement | null>,
  toggle: (id: string) => void,
): (leavingId: string) => void {
  const rows = (): HTMLElement[] => [...(container.current?.querySelectorAll('li') ?? [])]
  const focused = (): number => rows().findIndex((row) => row.contains(document.activeElement))
  const focus = (index: number): void => {
    const link = rows()[index]?.querySelector<HTMLElement>('.request-link')
    link?.focus()
    link?.scrollIntoView({ block: 'nearest' })
  }
  useShortcut('next', () => focus(Math.min(focused() + 1, rows().length - 1)))
  useShortcut('previous', () => focus(Math.max(focused() - 1, 0)))
  useShortcut('select', () => {
    const id = rows()[focused()]?.dataset['request']
    if (id !== undefined) toggle(id)
  })
  return (leavingId) => {
    const all = rows()
    const at = all.findIndex((row) => row.dataset['request'] === leavingId)
    if (at < 0 || at !== focused()) return
    const neighbour = all[at + 1] ?? all[at - 1]
    const target = neighbour?.querySelector<HTMLElement>('.request-link')
    ;(target ?? document.querySelector<HTMLElement>('h1'))?.focus()
  }
}
