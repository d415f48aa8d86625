import { Notifications } from '@mantine/notifications'

/** The newest three messages, at the left below, where no decision is made. */
export function MessageStack() {
  return <Notifications position="bottom-left" limit={3} />
}
