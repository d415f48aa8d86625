import { notifications } from '@mantine/notifications'

let hasWarned = false

/**
 * Keeps a text over reloads of this tab. If the browser has no room for it, the text lasts only
 * while the page is open, and a message says so once. The older text is then removed: a reload must
 * not bring it back.
 */
export function keepInTab(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text)
  } catch {
    sessionStorage.removeItem(key)
    if (hasWarned) return
    hasWarned = true
    const message =
      'This browser has no more room for what this tab keeps: send what you typed before you reload or close the page.'
    notifications.show({ color: 'red', autoClose: false, message })
  }
}
