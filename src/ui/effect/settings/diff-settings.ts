import { useSyncExternalStore } from 'react'
import { newListeners } from '#domain/listeners.ts'
import { useMedia } from '../../states/use-media.ts'

/** The settings of differences, stored in the browser for all pages. */
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

const listeners = newListeners()

function read(name: DiffSetting): boolean {
  const { key, on, initially } = settings[name]
  const storedSettings = localStorage.getItem(key)
  return storedSettings === null ? initially : storedSettings === on
}

/** Toggles a setting on every page of this window. */
export function toggleDiffSetting(name: DiffSetting): void {
  const { key, on, off } = settings[name]
  localStorage.setItem(key, read(name) ? off : on)
  listeners.notify()
}

/** Whether a setting is on. */
export function useDiffSetting(name: DiffSetting): boolean {
  return useSyncExternalStore(listeners.subscribe, () => read(name))
}

/** Whether there is room for one column only. */
export function useNarrow(): boolean {
  return useMedia('(max-width: 62em)')
}

/** Whether differences are drawn in two columns, if there is room. */
export function useSplitDiffs(): boolean {
  const narrow = useNarrow()
  return useDiffSetting('split') && !narrow
}
