import { callApi } from '../api/call-api.ts'
import { noticeOf } from './notice-of.ts'
import { noticesState } from './notices-setting.ts'

/** The key in local storage for the requests that a tab of this browser has notified of. */
const key = 'countersign.noticed'
const maxStored = 200
/** A hidden tab waits this long, so that a visible one can reserve the notice. */
const hiddenTabWaitMs = 400

/**
 * Shows a notification of a new request, if that is switched on and no page of the dashboard is
 * visible. A click opens the request; it cannot be decided in the notification.
 */
export async function notifyOfRequest(
  requestId: string,
  open: (path: string) => void,
): Promise<void> {
  if (noticesState() !== 'on') return
  const isFirst = await reserveNotice(requestId)
  if (!isFirst || document.visibilityState === 'visible') return
  const notice = noticeOf(await callApi('getRequest', { params: { id: requestId } }))
  if (notice === null) return
  const notification = new Notification(notice.title, {
    body: notice.body,
    tag: notice.tag,
    icon: '/favicon.svg',
  })
  notification.addEventListener('click', () => {
    window.focus()
    open(notice.path)
    notification.close()
  })
}

/** Reserves the notification of a request, so that exactly one tab shows it. */
async function reserveNotice(requestId: string): Promise<boolean> {
  if (document.visibilityState !== 'visible') {
    await new Promise((resolve) => setTimeout(resolve, hiddenTabWaitMs))
  }
  return navigator.locks.request(key, () => {
    const notified = storedIds()
    if (notified.includes(requestId)) return false
    localStorage.setItem(key, JSON.stringify([...notified, requestId].slice(-maxStored)))
    return true
  })
}

function storedIds(): readonly unknown[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(ids) ? ids : []
  } catch {
    return []
  }
}
