import { useNotifications } from '@mantine/notifications'
import { lazy, Suspense, useState } from 'react'

const MessageStack = lazy(() =>
  import('./message-stack.tsx').then((module) => ({ default: module.MessageStack })),
)

/**
 * Short messages of the page ("Link copied"). The component that draws them is loaded with the
 * first message, because most visits have none.
 */
export function Messages() {
  const { notifications } = useNotifications()
  const [isNeeded, setNeeded] = useState(false)
  if (!isNeeded && notifications.length > 0) setNeeded(true)
  return <Suspense fallback={null}>{isNeeded && <MessageStack />}</Suspense>
}
