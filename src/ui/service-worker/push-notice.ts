import { noticeOf, type NoticedRequest } from '../notices/notice-of.ts'
import { outcomeOf } from '../request/facts/state-words.ts'

/** What a push message says: ids, and nothing of what is asked. */
export interface PushedIds {
  readonly requestId: string
  readonly number: number
}

export interface PushNotice {
  readonly title: string
  readonly body: string
  readonly tag: string
  readonly path: string
}

/** The ids of a message; `null` when it is none of ours. Pure. */
export function readPushedIds(message: unknown): PushedIds | null {
  if (typeof message !== 'object' || message === null) return null
  const { requestId, number } = message as Partial<Record<keyof PushedIds, unknown>>
  if (typeof requestId !== 'string' || !/^[0-9a-f-]{36}$/.test(requestId)) return null
  return Number.isSafeInteger(number) ? { requestId, number: number as number } : null
}

/** What is shown while nothing but the ids is known: somebody has to sign in to read more. Pure. */
export function noticeOfIds({ requestId, number }: PushedIds): PushNotice {
  return {
    title: `Request #${number}`,
    body: 'Open Countersign to read it',
    tag: `countersign-${requestId}`,
    path: `/requests/${requestId}`,
  }
}

/** The same with what a signed-in person may read: what waits, or how it ended. Pure. */
export function noticeOfRequest(
  ids: PushedIds,
  request: NoticedRequest & Parameters<typeof outcomeOf>[0],
): PushNotice {
  const waiting = noticeOf(request)
  if (waiting !== null) return waiting
  return { ...noticeOfIds(ids), title: outcomeOf(request), body: `#${ids.number}` }
}
