import type { RequestDetail } from '../../api/schemas/requests/requests.ts'
import { callApi } from '../api/call-api.ts'
import { noticeOf } from './notice-of.ts'
import { noticesState } from './notices-setting.ts'
import { isFirstToTell } from './show-once.ts'

/**
 * Tells of a new request outside of the page, where that is switched on and nobody looks at a page of ours. A click on
 * the notice opens the request; nothing can be decided in it.
 */
export async function tellOfRequest(
  requestId: string,
  open: (path: string) => void,
): Promise<void> {
  if (noticesState() !== 'on') return
  const isFirst = await isFirstToTell(requestId)
  if (!isFirst || document.visibilityState === 'visible') return
  const notice = noticeOf(await callApi<RequestDetail>(`/v1/requests/${requestId}`))
  if (notice === null) return
  const shown = new Notification(notice.title, {
    body: notice.body,
    tag: notice.tag,
    icon: '/favicon.svg',
  })
  shown.addEventListener('click', () => {
    window.focus()
    open(notice.path)
    shown.close()
  })
}
