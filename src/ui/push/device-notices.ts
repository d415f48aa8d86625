import { showBadge } from './app-badge.ts'

/**
 * Removes the notifications of a request from this device, because its person has opened it here.
 */
export async function closeNotices(requestId: string): Promise<void> {
  await closeMatching({ tag: `countersign-${requestId}` })
}

/** Removes what this device shows of requests to a person whose session has ended. */
export async function clearDevice(): Promise<void> {
  showBadge(0)
  await closeMatching({})
}

async function closeMatching(filter: GetNotificationOptions): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  const registration = await navigator.serviceWorker.getRegistration()
  const notices = (await registration?.getNotifications(filter)) ?? []
  for (const notice of notices) notice.close()
}
