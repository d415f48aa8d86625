import { callInBackground } from './background-call.ts'
import { noticeOfIds, noticeOfRequest, readPushedIds, type PushNotice } from './push-notice.ts'

/**
 * Shows the notification of a push message: with its text if somebody is signed in, else with the
 * number only. Shows nothing if a page of the dashboard is visible.
 */
export async function showPush(
  scope: ServiceWorkerGlobalScope,
  data: PushMessageData | null,
): Promise<void> {
  const windows = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (windows.some((window) => window.visibilityState === 'visible' && window.focused)) return
  const { title, body, tag, path } = await readNotice(data)
  await scope.registration.showNotification(title, {
    body,
    tag,
    icon: '/icon-192.png',
    badge: '/icon-badge.png',
    data: { path },
  })
  await showCount(scope).catch(() => undefined)
}

async function readNotice(data: PushMessageData | null): Promise<PushNotice> {
  const ids = readPushedIds(parse(data))
  if (ids === null) {
    return { title: 'Countersign', body: 'Open Countersign', tag: 'countersign', path: '/' }
  }
  try {
    const params = { id: ids.requestId }
    return noticeOfRequest(ids, await callInBackground('getRequest', { params }))
  } catch {
    return noticeOfIds(ids)
  }
}

function parse(data: PushMessageData | null): unknown {
  try {
    return data?.json()
  } catch {
    return null
  }
}

/** Shows the number of pending requests on the icon of the installed app. */
async function showCount({ navigator }: ServiceWorkerGlobalScope): Promise<void> {
  if (!('setAppBadge' in navigator)) return
  const { items } = await callInBackground('listQueues')
  await navigator.setAppBadge(items.reduce((sum, { mine }) => sum + mine, 0))
}
