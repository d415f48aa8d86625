import { Notifications } from '@mantine/notifications'

/** The newest three messages, at the bottom left, where no decisions are made. */
export function MessageStack() {
  return <Notifications position="bottom-left" limit={3} />
}
