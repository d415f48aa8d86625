import type { SpotlightStore } from '@mantine/spotlight'
import { useEffect } from 'react'

/**
 * Keeps an entry selected while the entries of a search come: the one that was, else the first, so
 * that Enter opens what is highlighted. The component selects one only when the words change, which
 * is before the service has answered. `entries` changes when they do; `""`: none is selected.
 */
export function useSelectedEntry(store: SpotlightStore, entries: string): void {
  useEffect(() => {
    if (entries === '') return
    const list = document.getElementById(store.getState().listId)
    const all = [...(list?.querySelectorAll('[data-action]') ?? [])]
    const place = Math.max(
      0,
      all.findIndex((entry) => 'selected' in (entry as HTMLElement).dataset),
    )
    all[place]?.setAttribute('data-selected', 'true')
    store.updateState((state) => ({ ...state, selected: place }))
  }, [store, entries])
}
