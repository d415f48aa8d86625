import { notifications } from '@mantine/notifications'

/** Copies and says so, or says that the browser would not. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notifications.show({ message: `${what} copied` })
  } catch {
    notifications.show({ message: `This browser does not let the page copy. ${what}: ${text}` })
  }
}
