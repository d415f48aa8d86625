import { useSyncExternalStore } from 'react'
import { newListeners } from '#domain/listeners.ts'

/** The height of the rows of lists. */
export type RowDensity = 'roomy' | 'compact'

const key = 'countersign.rows'
const listeners = newListeners()

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
  listeners.notify()
}

/** The current density. */
export function useRowDensity(): RowDensity {
  return useSyncExternalStore(listeners.subscribe, rowDensity)
}
