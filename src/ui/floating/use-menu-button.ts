import { useWindowEvent } from '@mantine/hooks'
import { useId, useState } from 'react'

/** What a `KeyMenu` needs to know of the button that opens it. */
export interface MenuOfButton {
  /** the id of the button; Mantine derives the id of the menu from it. */
  readonly id: string
  /** the element at which the menu opens; null until the button is drawn */
  readonly target: HTMLElement | null
  readonly isOpen: boolean
  readonly onChange: (isOpen: boolean) => void
}

/**
 * Handles the keys of an open menu before the page does. `onKey` returns whether it handled a key;
 * then the menu closes.
 */
export function useMenuKeys(
  { isOpen, onChange }: Pick<MenuOfButton, 'isOpen' | 'onChange'>,
  onKey: (key: string) => boolean,
): void {
  useWindowEvent(
    'keydown',
    (event) => {
      if (!isOpen || event.ctrlKey || event.metaKey || event.altKey || !onKey(event.key)) return
      event.preventDefault()
      event.stopPropagation()
      onChange(false)
    },
    { capture: true },
  )
}

/**
 * The state of a menu, and the properties of the button that opens it. The button is drawn at once;
 * the menu's script is loaded after it. Until then Escape closes the open menu, as `KeyMenu` does.
 */
export function useMenuButton() {
  const id = useId()
  const [target, setTarget] = useState<HTMLElement | null>(null)
  const [isOpen, onChange] = useState(false)
  useMenuKeys({ isOpen, onChange }, (key) => key === 'Escape')
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
