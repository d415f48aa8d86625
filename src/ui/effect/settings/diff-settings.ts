import { useSyncExternalStore } from 'react'
import { useMedia } from '../../states/use-media.ts'

/** How a person reads differences: chosen once, kept in the browser, for all on the page. */
const settings = {
  split: { key: 'countersign.diff', on: 'split', off: 'unified', initially: false },
  wrap: { key: 'countersign.diff.wrap', on: 'yes', off: 'no', initially: true },
  ignoreWhiteSpace: {
    key: 'countersign.diff.white-space',
    on: 'fold',
    off: 'show',
    initially: true,
  },
} as const
export type DiffSetting = keyof typeof settings

const listeners = new Set<() => void>()

function read(name: DiffSetting): boolean {
  const { key, on, initially } = settings[name]
  const stored = localStorage.getItem(key)
  return stored === null ? initially : stored === on
}

/** Turns a setting over, on every page of this window. */
export function toggleDiffSetting(name: DiffSetting): void {
  const { key, on, off } = settings[name]
  localStorage.setItem(key, read(name) ? off : on)
  for (const listener of listeners) listener()
}

/** Whether a setting is on. */
export function useDiffSetting(name: DiffSetting): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => read(name),
  )
}

/** Whether there is room for one column alone. */
export function useNarrow(): boolean {
  return useMedia('(max-width: 62em)')
}

/** Whether differences stand in two columns, where there is room for them. */
export function useSplitDiffs(): boolean {
  const narrow = useNarrow()
  return useDiffSetting('split') && !narrow
}
