import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'

/** The decision of a phone: a sheet that comes up from below over the request. */
export function DecisionSheet(props: {
  isOpen: boolean
  onClose: () => void
  children: ReactNode
}) {
  const { isOpen, onClose, children } = props
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="bottom"
      size="auto"
      title="Your decision"
      className={isOpen ? 'sheet' : 'sheet put-away'}
      // What was chosen and the answer that came stay when the sheet is put away.
      keepMounted
    >
      {children}
    </Drawer>
  )
}
