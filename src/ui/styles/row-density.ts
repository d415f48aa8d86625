import { useSyncExternalStore } from 'react'

/** The height of the rows of lists. */
export type RowDensity = 'roomy' | 'compact'

const key = 'countersign.rows'
const listeners = new Set<() => void>()

/** The stored density of this browser; default: `roomy`. */
function rowDensity(): RowDensity {
  return localStorage.getItem(key) === 'compact' ? 'compact' : 'roomy'
}

/** Sets `data-rows` of the document, which the style sheet reads. */
export function applyRowDensity(): void {
  document.documentElement.dataset['rows'] = rowDensity()
}

/** Stores the density for all lists of this browser. */
export function setRowDensity(density: RowDensity): void {
  localStorage.setItem(key, density)
  applyRowDensity()
  for (const listener of listeners) listener()
}

/** The current density. */
export function useRowDensity(): RowDensity {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, rowDensity)
}
