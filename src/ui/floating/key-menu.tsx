import { Menu } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useImperativeHandle, type ReactNode, type Ref } from 'react'
import type { MenuOfButton } from './use-menu-button.ts'

/**
 * A menu that both a key and its button open. Its own keys work as soon as it is open, before it
 * has the focus. Escape closes it. `onKey` handles another key and returns whether it did; then the
 * menu closes too. Load it with `later`: the first drawing of a page needs no menu.
 */
export function KeyMenu(props: {
  menu: MenuOfButton
  width?: number
  onKey?: (key: string) => boolean
  children: ReactNode
}) {
  const { menu, width, onKey, children } = props
  const { id, target, isOpen, onChange } = menu
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
  if (target === null) return null
  return (
    <Menu
      id={id}
      opened={isOpen}
      onChange={onChange}
      position="bottom-end"
      width={width ?? 'max-content'}
      returnFocus
      withInitialFocusPlaceholder={false}
      // Not by a key, because the key press that opens it would close it.
      clickOutsideEvents={['mousedown', 'touchstart']}
    >
      <Menu.Target>
        <Placed element={target} />
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}

/** Gives Mantine's menu an element that is drawn elsewhere as its target. */
function Placed({ element, ref }: { element: HTMLElement; ref?: Ref<HTMLElement> }) {
  useImperativeHandle(ref, () => element, [element])
  return null
}
