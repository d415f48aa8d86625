import { useSyncExternalStore } from 'react'

/** How much room a row of a list takes. */
export type RowDensity = 'roomy' | 'compact'

const key = 'countersign.rows'
const listeners = new Set<() => void>()

/** Chosen once, kept in the browser; `roomy` until somebody chooses. */
export function rowDensity(): RowDensity {
  return localStorage.getItem(key) === 'compact' ? 'compact' : 'roomy'
}

/** Tells the style sheet, which reads `data-rows` of the document. */
export function applyRowDensity(): void {
  document.documentElement.dataset['rows'] = rowDensity()
}

/** Chooses for every list of this browser. */
export function setRowDensity(density: RowDensity): void {
  localStorage.setItem(key, density)
  applyRowDensity()
  for (const listener of listeners) listener()
}

/** The density, read again when it changes. */
export function useRowDensity(): RowDensity {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, rowDensity)
}
