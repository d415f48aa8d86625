import { Menu } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import type { ReactNode } from 'react'

/**
 * A menu that both a key and its button `target` open. Its own keys work as soon as it is open,
 * before it has the focus. Escape closes it. `onKey` handles another key and returns whether it
 * did; then the menu closes too.
 */
export function KeyMenu(props: {
  isOpen: boolean
  onChange: (isOpen: boolean) => void
  target: ReactNode
  onKey?: (key: string) => boolean
  children: ReactNode
}) {
  const { isOpen, onChange, target, onKey, children } = props
  useWindowEvent(
    'keydown',
    (event) => {
      if (!isOpen || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key !== 'Escape' && onKey?.(event.key) !== true) return
      event.preventDefault()
      event.stopPropagation()
      onChange(false)
    },
    { capture: true },
  )
  return (
    <Menu
      opened={isOpen}
      onChange={onChange}
      position="bottom-end"
      returnFocus
      // Not by a key, because the key press that opens it would close it.
      clickOutsideEvents={['mousedown', 'touchstart']}
    >
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
