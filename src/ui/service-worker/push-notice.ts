import { noticeOf, type Notice, type NoticedRequest } from '../notices/notice-of.ts'
import { outcomeOf } from '../deciding/facts/state-words.ts'

/** The content of a push message: ids only. */
export interface PushedIds {
  readonly requestId: string
  readonly number: number
}

/** Reads the ids of a message; `null` for any other message. Pure. */
export function readPushedIds(message: unknown): PushedIds | null {
  if (typeof message !== 'object' || message === null) return null
  const { requestId, number } = message as Partial<Record<keyof PushedIds, unknown>>
  if (typeof requestId !== 'string' || !/^[0-9a-f-]{36}$/.test(requestId)) return null
  return Number.isSafeInteger(number) ? { requestId, number: number as number } : null
}

/** The notification for ids alone, if nobody is signed in. Pure. */
export function noticeOfIds({ requestId, number }: PushedIds): Notice {
  return {
    title: `Request #${number}`,
    body: 'Open Countersign to read it',
    tag: `countersign-${requestId}`,
    path: `/requests/${requestId}`,
  }
}

/** The notification for a signed-in person: the pending request, or how it ended. Pure. */
export function noticeOfRequest(
  ids: PushedIds,
  request: NoticedRequest & Parameters<typeof outcomeOf>[0],
): Notice {
  const notice = noticeOf(request)
  if (notice !== null) return notice
  return { ...noticeOfIds(ids), title: outcomeOf(request), body: `#${ids.number}` }
}
