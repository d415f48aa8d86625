import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { displayText, noticeOf, type Notice, type NoticedRequest } from '../notices/notice-of.ts'
import { outcomeOf } from '../deciding/facts/state-words.ts'

/** The content of a push message: ids, and whether a colleague hands the request over to whom. */
export interface PushedIds {
  readonly requestId: string
  readonly number: number
  readonly handedOver: boolean
  /** the id of whom it is handed over to; `null`: the message names nobody */
  readonly to: string | null
}

/** Reads the ids of a message; `null` for any other message. Pure. */
export function readPushedIds(message: unknown): PushedIds | null {
  if (typeof message !== 'object' || message === null) return null
  const { requestId, number, handedOver, to } = message as Partial<Record<keyof PushedIds, unknown>>
  if (typeof requestId !== 'string' || !/^[0-9a-f-]{36}$/.test(requestId)) return null
  if (!Number.isSafeInteger(number)) return null
  const ids = { requestId, number: number as number, handedOver: handedOver === true }
  return { ...ids, to: typeof to === 'string' ? to : null }
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
    // Somebody else may have the request by now.
    if (!ids.handedOver || request.handedTo === null) return notice
    if (request.handedTo.person.id !== ids.to) return notice
    const by = displayText(request.handedTo.by.name)
    return { ...notice, title: `${by} asks you to look at #${ids.number}`, body: notice.title }
  }
  return { ...noticeOfIds(ids), title: outcomeOf(request), body: `#${ids.number}` }
}
