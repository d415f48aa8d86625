import { callApi } from '../api/call-api.ts'
import { noticeOf } from './notice-of.ts'
import { noticesState } from './notices-setting.ts'

/** In local storage: the requests that a tab of this browser has shown a notice of. */
const key = 'countersign.noticed'
const maxStored = 200
/** A visible tab claims the request first: then the hidden ones are silent. */
const hiddenWaitsMs = 400

/**
 * Shows a notice of a new request outside of the page, where that is switched on and none of our
 * pages is visible. A click on it opens the request; nothing can be decided in it.
 */
export async function notifyOfRequest(
  requestId: string,
  open: (path: string) => void,
): Promise<void> {
  if (noticesState() !== 'on') return
  const isFirst = await claimNotice(requestId)
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

/** Whether this tab is the one that notifies of a request: one of all tabs is, once. */
async function claimNotice(requestId: string): Promise<boolean> {
  if (document.visibilityState !== 'visible') {
    await new Promise((resolve) => setTimeout(resolve, hiddenWaitsMs))
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
