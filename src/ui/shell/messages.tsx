import { useNotifications } from '@mantine/notifications'
import { useState } from 'react'
import { later } from '../states/later.tsx'

const MessageStack = later(() =>
  import('./message-stack.tsx').then((module) => module.MessageStack),
)

/**
 * Short messages of the page ("Link copied"). The component that draws them is loaded with the
 * first message, because most visits have none.
 */
export function Messages() {
  const { notifications } = useNotifications()
  const [isNeeded, setNeeded] = useState(false)
  if (!isNeeded && notifications.length > 0) setNeeded(true)
  return isNeeded && <MessageStack />
}
