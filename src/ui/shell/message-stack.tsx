import { Notifications } from '@mantine/notifications'

/** The newest three messages, away from decisions: at the bottom left, on a phone at the top. */
export function MessageStack() {
  return <Notifications position="bottom-left" limit={3} />
}
