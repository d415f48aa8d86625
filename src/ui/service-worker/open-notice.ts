import { openedPath, type OpenMessage } from '../push/opened-path.ts'

/**
 * Opens the request of a clicked notification: in an open window without reloading it, or in a new
 * one. The click decides nothing.
 */
export async function openNotice(
  { clients }: ServiceWorkerGlobalScope,
  notification: Notification,
): Promise<void> {
  notification.close()
  const { path } = (notification.data ?? {}) as { readonly path?: unknown }
  const open = openedPath({ open: path })
  const [window] = await clients.matchAll({ type: 'window' })
  if (window === undefined) return void (await clients.openWindow(open ?? '/'))
  if (open !== null) window.postMessage({ open } satisfies OpenMessage)
  await window.focus()
}
