import { notifications } from '@mantine/notifications'

/** Copies a text and announces it, or announces that the browser refused. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notifications.show({ message: `${what} copied` })
  } catch {
    notifications.show({ message: `This browser does not let the page copy. ${what}: ${text}` })
  }
}
