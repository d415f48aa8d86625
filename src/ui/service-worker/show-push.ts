import { noticeOf, type Notice } from '../notices/notice-of.ts'
import { noticeOfIds, noticeOfRequest, readPushedIds } from './push-notice.ts'
import { callOver } from '#client/call.ts'
import { readProof } from '../push/session-proof-cache.ts'

/** A notification; `waitingId`: the request that it says waits for its person. */
interface DeviceNotice extends Notice {
  readonly waitingId?: string
  /** alerts again where it replaces another of its tag */
  readonly renotify?: boolean
}

/** The notification of a message without content, which its person has requested as a test. */
const testNotice: DeviceNotice = {
  title: 'Push works on this device',
  body: 'Requests that you may decide are shown like this',
  tag: 'countersign-test',
  path: '/',
}

/**
 * Shows the notification of a push message: with its text if somebody is signed in, else with the
 * number only. Shows nothing if a page of the dashboard is visible, unless it is a test. Removes
 * the notifications of requests that no longer wait for the person.
 */
export async function showPush(
  scope: ServiceWorkerGlobalScope,
  data: PushMessageData | null,
): Promise<void> {
  if (data !== null && (await isWatched(scope))) return
  const notice = data === null ? testNotice : await readNotice(data)
  const { title, body, tag, path, waitingId, renotify = false } = notice
  // The types of the browser lack `renotify`.
  const options = {
    body,
    tag,
    renotify,
    icon: '/icon-192.png',
    badge: '/icon-badge.png',
    data: { path, waitingId },
  }
  await scope.registration.showNotification(title, options)
  await closeOld(scope, waitingId).catch(() => undefined)
  await showCount(scope).catch(() => undefined)
}

async function isWatched({ clients }: ServiceWorkerGlobalScope): Promise<boolean> {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  return windows.some((window) => window.visibilityState === 'visible' && window.focused)
}

async function readNotice(data: PushMessageData): Promise<DeviceNotice> {
  const ids = readPushedIds(parse(data))
  if (ids === null) {
    return { title: 'Countersign', body: 'Open Countersign', tag: 'countersign', path: '/' }
  }
  const renotify = ids.handedOver
  try {
    const params = { id: ids.requestId }
    const request = await callInBackground('getRequest', { params })
    const notice = { ...noticeOfRequest(ids, request), renotify }
    return noticeOf(request) === null ? notice : { ...notice, waitingId: request.id }
  } catch {
    return { ...noticeOfIds(ids), renotify }
  }
}

function parse(data: PushMessageData): unknown {
  try {
    return data.json()
  } catch {
    return null
  }
}

/**
 * Removes the notifications of requests that are not in the person's list: somebody else decided
 * them, they ended otherwise, or the person snoozed them. Removes none if the list has more than a
 * page. No message says so when it happens, because browsers want each message to show something.
 */
async function closeOld(
  { registration }: ServiceWorkerGlobalScope,
  newestId: string | undefined,
): Promise<void> {
  const notices = await registration.getNotifications()
  const waiting = notices.flatMap((notice) => {
    const { waitingId: id } = (notice.data ?? {}) as Pick<DeviceNotice, 'waitingId'>
    return id === undefined || id === newestId ? [] : [{ notice, id }]
  })
  if (waiting.length === 0) return
  const query = { mine: 'true', limit: 200 } as const
  const { items, nextCursor } = await callInBackground('listRequests', { query })
  if (nextCursor !== null) return
  const mine = new Set(items.map(({ id }) => id))
  for (const { notice, id } of waiting) if (!mine.has(id)) notice.close()
}

/** Shows the number of pending requests on the icon of the installed app. */
async function showCount({ navigator }: ServiceWorkerGlobalScope): Promise<void> {
  if (!('setAppBadge' in navigator)) return
  const { items } = await callInBackground('listQueues')
  await navigator.setAppBadge(items.reduce((sum, { mine }) => sum + mine, 0))
}

const maxMs = 8000

/**
 * Calls the API as the signed-in person, with the proof that the page stored (security.md 39). The
 * call does not extend the session. Rejects if nobody is signed in or the service does not answer
 * within 8 s.
 */
const callInBackground = callOver(async ({ path, method, headers }) => {
  const proof = await readProof()
  if (proof === null || method !== 'GET') throw new Error('Nobody is signed in')
  const response = await fetch(path, {
    headers: {
      ...headers,
      accept: 'application/json',
      'x-countersign-session': proof,
      'x-countersign-background': '1',
    },
    credentials: 'same-origin',
    signal: AbortSignal.timeout(maxMs),
  })
  if (!response.ok) throw new Error(`The service answered ${response.status}`)
  return response.json()
})
