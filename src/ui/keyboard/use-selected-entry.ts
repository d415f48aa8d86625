import type { SpotlightStore } from '@mantine/spotlight'
import { useEffect } from 'react'

/**
 * While the results of a search arrive, keeps the selected entry, or selects the first one, so that
 * Enter opens what is highlighted. The library selects an entry only when the words change, which
 * is before the service has answered. `entries` is a text that differs for other entries; `""`:
 * nothing is selected.
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
