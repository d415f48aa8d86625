import { isDashboardPage } from '#domain/is-dashboard-page.ts'
import { openedPath, type OpenMessage } from '../push/opened-path.ts'

/**
 * Opens the request of a clicked notification: in an open window of the dashboard without reloading
 * it, or in a new one. The click decides nothing.
 */
export async function openNotice(
  { clients }: ServiceWorkerGlobalScope,
  notification: Notification,
): Promise<void> {
  notification.close()
  const { path } = (notification.data ?? {}) as { readonly path?: unknown }
  const open = openedPath({ open: path })
  const windows = await clients.matchAll({ type: 'window' })
  // A page of the documentation does not read the message.
  const window = windows.find(({ url }) => isDashboardPage(new URL(url).pathname))
  if (window === undefined) return void (await clients.openWindow(open ?? '/'))
  if (open !== null) window.postMessage({ open } satisfies OpenMessage)
  await window.focus()
}
