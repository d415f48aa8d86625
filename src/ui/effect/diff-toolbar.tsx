import { ActionIcon, Button, SegmentedControl } from '@mantine/core'
import { IconAdjustmentsHorizontal, IconCheck } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { phoneUntil, useMedia } from '../states/use-media.ts'
import {
  toggleDiffSetting,
  useDiffSetting,
  useNarrow,
  useSplitDiffs,
  type DiffSetting,
} from './settings/diff-settings.ts'

/**
 * Settings for all differences on the page: wrapping, white space, one column or two. On a phone
 * they and `settings` unfold below one button, so that the difference is on the screen.
 */
export function DiffToolbar(props: { children?: React.ReactNode; settings?: React.ReactNode }) {
  const { children, settings } = props
  const isPhone = useMedia(phoneUntil)
  const [isUnfolded, setUnfolded] = useState(false)
  const id = useId()
  useShortcut('split', () => toggleDiffSetting('split'))
  if (!isPhone) {
    return (
      <div className="diff-toolbar" role="group" aria-label={groupName}>
        {children}
        {settings}
        <Toggles />
      </div>
    )
  }
  return (
    <div className="diff-tools">
      <div className="diff-toolbar">
        {children}
        <ActionIcon
          className="diff-settings"
          variant={isUnfolded ? 'light' : 'subtle'}
          color="gray"
          size={44}
          aria-label={groupName}
          aria-expanded={isUnfolded}
          aria-controls={id}
          onClick={() => setUnfolded(!isUnfolded)}
        >
          <IconAdjustmentsHorizontal size={20} aria-hidden />
        </ActionIcon>
      </div>
      <div id={id}>
        {isUnfolded && (
          <div className="diff-toolbar" role="group" aria-label={groupName}>
            {settings}
            <Toggles />
          </div>
        )}
      </div>
    </div>
  )
}

const groupName = 'How differences are shown'

function Toggles() {
  const narrow = useNarrow()
  const split = useSplitDiffs()
  const splitKeys = useAriaKeys('split')
  return (
    <>
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
    </>
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
