import { useWindowEvent } from '@mantine/hooks'
import { useId, useState } from 'react'

/** What a `KeyMenu` needs to know of the button that opens it. */
export interface MenuOfButton {
  /** the id of the button; Mantine derives the id of the menu from it. */
  readonly id: string
  /** where the menu is drawn; null until the button is */
  readonly target: HTMLElement | null
  readonly isOpen: boolean
  readonly onChange: (isOpen: boolean) => void
}

/**
 * The state of a menu, and the properties of the button that opens it. The button is drawn at once;
 * the menu's script is loaded after it. Until then Escape closes the open menu, as `KeyMenu` does.
 */
export function useMenuButton() {
  const id = useId()
  const [target, setTarget] = useState<HTMLElement | null>(null)
  const [isOpen, onChange] = useState(false)
  useWindowEvent(
    'keydown',
    (event) => {
      if (!isOpen || event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      onChange(false)
    },
    { capture: true },
  )
  const menu: MenuOfButton = { id, target, isOpen, onChange }
  const button = {
    ref: setTarget,
    id,
    'aria-haspopup': 'menu',
    'aria-expanded': isOpen,
    'aria-controls': isOpen ? `${id}-dropdown` : undefined,
    onClick: () => onChange(!isOpen),
  } as const
  return { menu, button, open: () => onChange(true) }
}
