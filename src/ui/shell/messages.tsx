import { useNotifications } from '@mantine/notifications'
import { lazy, Suspense, useState } from 'react'

const MessageStack = lazy(() =>
  import('./message-stack.tsx').then((module) => ({ default: module.MessageStack })),
)

/**
 * Where the short messages of the page appear ("Link copied"). What draws them is loaded with the
 * first of them, since most pages are left without any.
 */
export function Messages() {
  const { notifications } = useNotifications()
  const [isNeeded, setNeeded] = useState(false)
  if (!isNeeded && notifications.length > 0) setNeeded(true)
  return <Suspense fallback={null}>{isNeeded && <MessageStack />}</Suspense>
}
