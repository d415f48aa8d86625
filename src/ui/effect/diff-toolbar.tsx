import { Button, SegmentedControl } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import {
  toggleDiffSetting,
  useDiffSetting,
  useNarrow,
  useSplitDiffs,
  type DiffSetting,
} from './settings/diff-settings.ts'

/** Settings for all differences on the page: wrapping, white space, one column or two. */
export function DiffToolbar({ children }: { children?: React.ReactNode }) {
  const narrow = useNarrow()
  const split = useSplitDiffs()
  const splitKeys = useAriaKeys('split')
  useShortcut('split', () => toggleDiffSetting('split'))
  return (
    <div className="diff-toolbar" role="group" aria-label="How differences are shown">
      {children}
      <Toggle name="ignoreWhiteSpace" label="Ignore white space" />
      <Toggle name="wrap" label="Wrap lines" />
      {!narrow && (
        <SegmentedControl
          size="xs"
          value={split ? 'split' : 'unified'}
          onChange={() => toggleDiffSetting('split')}
          data={[
            { value: 'unified', label: 'Unified' },
            { value: 'split', label: 'Split' },
          ]}
          aria-label="Unified or split"
          {...splitKeys}
        />
      )}
    </div>
  )
}

function Toggle({ name, label }: { name: DiffSetting; label: string }) {
  const on = useDiffSetting(name)
  return (
    <Button
      size="compact-sm"
      variant={on ? 'light' : 'subtle'}
      color="gray"
      aria-pressed={on}
      leftSection={on ? <IconCheck size={14} aria-hidden /> : null}
      onClick={() => toggleDiffSetting(name)}
    >
      {label}
    </Button>
  )
}
