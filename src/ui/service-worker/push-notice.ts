import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { displayText, noticeOf, type Notice, type NoticedRequest } from '../notices/notice-of.ts'
import { outcomeOf } from '../deciding/facts/state-words.ts'

/** The content of a push message: ids, and whether a colleague hands the request over. */
export interface PushedIds {
  readonly requestId: string
  readonly number: number
  readonly handedOver: boolean
}

/** Reads the ids of a message; `null` for any other message. Pure. */
export function readPushedIds(message: unknown): PushedIds | null {
  if (typeof message !== 'object' || message === null) return null
  const { requestId, number, handedOver } = message as Partial<Record<keyof PushedIds, unknown>>
  if (typeof requestId !== 'string' || !/^[0-9a-f-]{36}$/.test(requestId)) return null
  if (!Number.isSafeInteger(number)) return null
  return { requestId, number: number as number, handedOver: handedOver === true }
}

/** The notification for ids alone, if nobody is signed in. Pure. */
export function noticeOfIds({ requestId, number, handedOver }: PushedIds): Notice {
  return {
    title: handedOver ? `A colleague asks you to look at #${number}` : `Request #${number}`,
    body: 'Open Countersign to read it',
    tag: `countersign-${requestId}`,
    path: `/requests/${requestId}`,
  }
}

/** The notification for a signed-in person: the pending request, or how it ended. Pure. */
export function noticeOfRequest(
  ids: PushedIds,
  request: NoticedRequest & Pick<RequestDetail, 'handedTo'> & Parameters<typeof outcomeOf>[0],
): Notice {
  const notice = noticeOf(request)
  if (notice !== null) {
    if (!ids.handedOver || request.handedTo === null) return notice
    const by = displayText(request.handedTo.by.name)
    return { ...notice, title: `${by} asks you to look at #${ids.number}`, body: notice.title }
  }
  return {
    ...noticeOfIds({ ...ids, handedOver: false }),
    title: outcomeOf(request),
    body: `#${ids.number}`,
  }
}
