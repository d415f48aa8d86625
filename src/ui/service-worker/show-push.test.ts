import { afterEach, expect, test, vi } from 'vitest'
import { openNotice } from './open-notice.ts'
import { showPush } from './show-push.ts'

afterEach(() => vi.unstubAllGlobals())

const requestId = '01993f00-0000-7000-8000-000000000001'
const message = { json: () => ({ requestId, number: 142 }) } as PushMessageData

/** A service worker's browser: its windows, notifications before and after, and opened pages. */
function browser(windows: readonly object[], present: readonly object[] = []) {
  const notices: { title: string; body: string; path: string; renotify: boolean }[] = []
  const opened: string[] = []
  const scope = {
    clients: {
      matchAll: async () => windows,
      openWindow: async (path: string) => void opened.push(path),
    },
    registration: {
      getNotifications: async () => present,
      showNotification: async (
        title: string,
        options: { body: string; renotify: boolean; data: { path: string } },
      ) => {
        const { body, renotify, data } = options
        notices.push({ title, body, renotify, path: data.path })
      },
    },
    navigator: {},
  } as unknown as ServiceWorkerGlobalScope
  return { scope, notices, opened }
}

/** Somebody is signed in, and may read the request; `null`: nobody is. */
function signedIn(request: object | null): void {
  vi.stubGlobal('caches', {
    match: async () => (request === null ? undefined : new Response('proof')),
  })
  vi.stubGlobal('fetch', async () => Response.json(request))
}

const waiting = {
  id: requestId,
  number: 142,
  state: 'pending',
  kind: 'tool_call',
  tool: 'write_file',
  title: 'Create notes/pushed.md (+1)',
  risk: 'medium',
  queue: 'platform',
  input: { path: 'notes/pushed.md', content: 'secret plans' },
  eligibility: { canDecide: true, reason: null },
}

// Rules: security.md 22, 39
test('a pushed request is read by who is signed in, and shown without its contents', async () => {
  signedIn(waiting)
  const { scope, notices } = browser([])
  await showPush(scope, message)
  expect(notices).toMatchObject([{ path: `/requests/${requestId}` }])
  expect(JSON.stringify(notices)).toContain('notes/pushed.md')
  expect(JSON.stringify(notices)).not.toContain('secret plans')
})

test('where nobody is signed in a push shows a number alone, and a message of another form shows nothing of itself', async () => {
  signedIn(null)
  const { scope, notices } = browser([])
  await showPush(scope, message)
  await showPush(scope, { json: () => ({ requestId: '<b>', number: 1 }) } as PushMessageData)
  expect(notices.map(({ title }) => title)).toEqual(['Request #142', 'Countersign'])
})

test('a hand-over alerts again, and says who hands the request over to somebody who is signed in', async () => {
  const json = () => ({ requestId, number: 142, handedOver: true, to: 'p1' })
  const handOver = { json } as PushMessageData
  const handedTo = { person: { id: 'p1', name: 'Linus' }, by: { name: 'Gra\u202ece' }, at: '' }
  const { scope, notices } = browser([])
  signedIn({ ...waiting, handedTo })
  await showPush(scope, message)
  await showPush(scope, handOver)
  signedIn(null)
  await showPush(scope, handOver)
  expect(notices.map(({ renotify }) => renotify)).toEqual([false, true, true])
  expect(notices[1]).toMatchObject({
    title: expect.stringMatching(/^Gra⟦.*⟧ce asks you to look at #142$/),
    body: notices[0]?.title,
  })
  expect(notices[2]?.title).toBe('A colleague asks you to look at #142')
  // Meanwhile it was handed to somebody else.
  signedIn({ ...waiting, handedTo: { ...handedTo, person: { id: 'p2', name: 'Grace' } } })
  await showPush(scope, handOver)
  expect(notices[3]?.title).toBe(notices[0]?.title)
})

test('no notification appears while a page of the dashboard is visible', async () => {
  signedIn(waiting)
  const { scope, notices } = browser([{ visibilityState: 'visible', focused: true }])
  await showPush(scope, message)
  expect(notices).toEqual([])
})

test.each([
  ['of requests that no longer wait for the person, and no other', null, [12, 13, 14]],
  ['of none while more requests wait than the list of one call has', 'next', []],
])('a message removes the notifications %s', async (_, nextCursor, expected) => {
  const idOf = (n: number): string => requestId.slice(0, -2) + String(n).padStart(2, '0')
  const numbers = Array.from({ length: 14 }, (_unused, n) => n + 1)
  signedIn(waiting)
  const lists: URLSearchParams[] = []
  vi.stubGlobal('fetch', async (path: string) => {
    const { pathname, searchParams } = new URL(path, 'https://countersign.example')
    if (pathname !== '/v1/requests') return Response.json(waiting)
    lists.push(searchParams)
    return Response.json({ items: numbers.slice(0, 11).map((n) => ({ id: idOf(n) })), nextCursor })
  })
  const closed: number[] = []
  const noticeOf = (n: number, data: object) => ({ data, close: () => void closed.push(n) })
  const present = [
    ...numbers.map((n) => noticeOf(n, { waitingId: idOf(n) })),
    // The end of a request, which its starter is shown.
    noticeOf(15, { path: `/requests/${idOf(13)}` }),
  ]
  const { scope, notices } = browser([], present)
  await showPush(scope, message)
  expect(notices).toHaveLength(1)
  expect(lists.map(String)).toEqual(['mine=true&limit=200'])
  expect(closed).toEqual(expected)
})

test('a message without content is a test, and is shown beside a visible page too', async () => {
  const { scope, notices } = browser([{ visibilityState: 'visible', focused: true }])
  await showPush(scope, null)
  expect(notices).toMatchObject([{ title: 'Push works on this device', path: '/' }])
})

test('a click opens the page of the request, in a window that is there or a new one, and no other address', async () => {
  const messages: object[] = []
  const window = {
    url: 'https://countersign.example/runs',
    postMessage: (one: object) => void messages.push(one),
    focus: async () => undefined,
  }
  const notice = (path: string) =>
    ({ close: () => undefined, data: { path } }) as unknown as Notification
  await openNotice(browser([window]).scope, notice(`/requests/${requestId}`))
  expect(messages).toEqual([{ open: `/requests/${requestId}` }])
  const { scope, opened } = browser([])
  await openNotice(scope, notice(`/requests/${requestId}`))
  await openNotice(scope, notice('https://elsewhere.example.com/'))
  expect(opened).toEqual([`/requests/${requestId}`, '/'])
})

test.each([
  '/docs/push',
  '/openapi.json',
  '/v1/requests/7/content',
  '/mcp',
  '/.well-known/oauth-protected-resource',
])(
  'a click opens the request although %s, which is no page of the dashboard, is open in front of it',
  async (path) => {
    const messages: object[] = []
    const windowAt = (address: string) => ({
      url: `https://countersign.example${address}`,
      postMessage: (message: object) => void messages.push({ address, ...message }),
      focus: async () => undefined,
    })
    const open = `/requests/${requestId}`
    const notice = { close: () => undefined, data: { path: open } } as unknown as Notification
    await openNotice(browser([windowAt(path), windowAt('/audit')]).scope, notice)
    expect(messages).toEqual([{ address: '/audit', open }])
    const { scope, opened } = browser([windowAt(path)])
    await openNotice(scope, notice)
    expect(opened).toEqual([open])
  },
)
