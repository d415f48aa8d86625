import { IconCloudOff, IconPointFilled, IconRefresh } from '@tabler/icons-react'
import { useId } from 'react'
import { Hint } from '../floating/hint.tsx'
import { useConnection } from '../live/live-provider.tsx'

const faces = {
  live: { Icon: IconPointFilled, word: 'Live', says: 'Changes appear as they happen.' },
  reconnecting: {
    Icon: IconRefresh,
    word: 'Reconnecting',
    says: 'What you see may be some seconds old. Deciding still works.',
  },
  offline: {
    Icon: IconCloudOff,
    word: 'Offline',
    says: 'This device has no network, or the service has not answered for over 30 seconds. Deciding is disabled until it answers.',
  },
} as const

/** The state of the live updates: live, reconnecting or offline. */
export function LiveIndicator() {
  const state = useConnection()
  const id = useId()
  const { Icon, word, says } = faces[state]
  return (
    <>
      <Hint label={says} maxWidth={260}>
        <span
          className={`live live-${state}`}
          role="status"
          data-state={state}
          aria-describedby={id}
        >
          <span className="live-face">
            <Icon size={14} aria-hidden />
            <span className="live-word">{word}</span>
          </span>
        </span>
      </Hint>
      <span id={id} hidden>
        {says}
      </span>
    </>
  )
}
