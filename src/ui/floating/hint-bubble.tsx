import { Tooltip } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'

/** The text of a `Hint`, while it is shown. */
export function HintBubble(props: {
  target: HTMLElement
  label: string
  maxWidth: number | undefined
  onClose: () => void
}) {
  const { target, label, maxWidth, onClose } = props
  useWindowEvent('keydown', (event) => {
    if (event.key === 'Escape') onClose()
  })
  return <Tooltip opened target={target} label={label} maw={maxWidth} />
}
