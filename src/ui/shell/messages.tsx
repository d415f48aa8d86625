import { CloseButton } from '@mantine/core'
import { hideNotification, useNotifications } from '@mantine/notifications'
import { useState } from 'react'
import { later } from '../states/later.tsx'
import { verbs } from '../words/verbs.ts'

const MessageStack = later<{ onMissing: () => void }>(
  () => import('./message-stack.tsx').then((module) => module.MessageStack),
  () => null,
  { needOf: () => null, onFailure: ({ onMissing }) => onMissing() },
)

/**
 * Short messages of the page ("Link copied"). The component that draws them is loaded with the
 * first message, because most visits have none. If it does not load, as after an upgrade, the
 * messages stay until they are closed: one of them may say that a script did not load.
 */
export function Messages() {
  const { notifications } = useNotifications()
  const [isNeeded, setNeeded] = useState(false)
  const [isMissing, setMissing] = useState(false)
  if (!isNeeded && notifications.length > 0) setNeeded(true)
  if (!isMissing) return isNeeded && <MessageStack onMissing={() => setMissing(true)} />
  return (
    <div className="plain-messages">
      {notifications.map(({ id = '', message }) => (
        <div key={id} role="alert" className="card row">
          <span className="grow small">{message}</span>
          <CloseButton aria-label={verbs.close} onClick={() => hideNotification(id)} />
        </div>
      ))}
    </div>
  )
}
