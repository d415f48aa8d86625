import { SegmentedControl } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useSyncExternalStore } from 'react'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'

const splitKey = 'countersign.diff'
const listeners = new Set<() => void>()

function isSplit(): boolean {
  return localStorage.getItem(splitKey) === 'split'
}

function choose(split: boolean): void {
  localStorage.setItem(splitKey, split ? 'split' : 'unified')
  for (const listener of listeners) listener()
}

/** Whether differences stand in two columns: chosen once, for every difference on the page. */
export function useSplitDiffs(): boolean {
  const narrow = useMediaQuery('(max-width: 62em)') ?? false
  const split = useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, isSplit)
  return split && !narrow
}

/** Chooses between one column and two; not where there is room for one alone. */
export function DiffSwitch() {
  const narrow = useMediaQuery('(max-width: 62em)') ?? false
  const split = useSplitDiffs()
  const splitKeys = useAriaKeys('split')
  useShortcut('split', () => choose(!isSplit()))
  if (narrow) return null
  return (
    <SegmentedControl
      className="diff-switch"
      size="xs"
      value={split ? 'split' : 'unified'}
      onChange={(value) => choose(value === 'split')}
      data={[
        { value: 'unified', label: 'Unified' },
        { value: 'split', label: 'Split' },
      ]}
      aria-label="Unified or split"
      {...splitKeys}
    />
  )
}
