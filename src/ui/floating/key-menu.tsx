import { Menu } from '@mantine/core'
import { useEffect, useImperativeHandle, useState, type ReactNode, type Ref } from 'react'
import { useMenuKeys, type MenuOfButton } from './use-menu-button.ts'

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
  useMenuKeys(menu, (key) => key === 'Escape' || onKey?.(key) === true)
  // Mantine gives the focus back only to the element that had it when a drawn menu opened.
  const [isDrawn, setDrawn] = useState(false)
  useEffect(() => setDrawn(target !== null), [target])
  if (target === null) return null
  return (
    <Menu
      id={id}
      opened={isOpen && isDrawn}
      onChange={onChange}
      position="bottom-end"
      width={width ?? 'max-content'}
      returnFocus
      withInitialFocusPlaceholder={false}
      // Without key events: the key press that opens the menu would close it too.
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
