import { useShortcut } from './keyboard-provider.tsx'

/**
 * J and K move the focus between the rows of a list. `links` selects what opens a row; `null`
 * leaves the keys to others.
 */
export function useRowKeys(links: string | null): void {
  const moveBy = (by: 1 | -1) => {
    if (links === null) return null
    return (): void => {
      const all = [...document.querySelectorAll<HTMLElement>(links)]
      const at = all.findIndex((one) => one.closest('li, tr')?.contains(document.activeElement))
      const next = all[Math.max(0, Math.min(at + by, all.length - 1))]
      next?.focus()
      next?.scrollIntoView({ block: 'nearest' })
    }
  }
  useShortcut('next', moveBy(1))
  useShortcut('previous', moveBy(-1))
}
