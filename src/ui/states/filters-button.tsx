import { ActionIcon } from '@mantine/core'
import { IconAdjustmentsHorizontal } from '@tabler/icons-react'

/** On a phone, the button that unfolds the filters of a list. `isSet`: some are in force. */
export function FiltersButton(props: {
  isSet: boolean
  isUnfolded: boolean
  /** id of the element that holds the filters */
  controls: string
  onToggle: () => void
}) {
  return (
    <ActionIcon
      variant={props.isSet ? 'light' : 'default'}
      size={44}
      aria-label={props.isSet ? 'Filters, some are set' : 'Filters'}
      aria-expanded={props.isUnfolded}
      aria-controls={props.controls}
      onClick={props.onToggle}
    >
      <IconAdjustmentsHorizontal size={20} aria-hidden />
    </ActionIcon>
  )
}
