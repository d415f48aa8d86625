import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'

/** The decision panel on phones: a sheet that rises over the request. */
export function DecisionSheet(props: {
  isOpen: boolean
  /** false: the person closed it by a link to a place on the page, which takes the focus */
  returnsFocus: boolean
  onClose: () => void
  children: ReactNode
}) {
  const { isOpen, onClose, children } = props
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      returnFocus={props.returnsFocus}
      position="bottom"
      size="auto"
      title="Your decision"
      className={isOpen ? 'sheet' : 'sheet put-away'}
      // Keeps the choice and the answer while the sheet is closed.
      keepMounted
    >
      {children}
    </Drawer>
  )
}
