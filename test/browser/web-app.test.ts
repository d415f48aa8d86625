import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { openPushService } from '../harness/fixtures/push-service.ts'
import { testPushKey } from '../harness/fixtures/keys/push-key.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { rowsOf } from '../harness/fixtures/rows.ts'
import { ChannelRelay } from '#delivery/channels/channel-relay.ts'
import { createDeliveries } from '#delivery/channels/create-deliveries.ts'
import { pushChannel } from '#delivery/push/push-channel.ts'
import { sessionTimes } from '#services/access/sessions/session-times.ts'
import { ask, openDashboard } from './open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())
const service = disposeAfterTests(await openPushService())

/** The dashboard with its service worker at work. */
async function openApp(who: string, path: string): Promise<Page> {
  const page = await dashboard.open(who, path, { serviceWorkers: 'allow' })
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
  })
  return page
}

// Rules: security.md 19
test('the dashboard can be installed, and its content policy lets no other script address through', async () => {
  const page = await openApp('Grace', '/')
  const manifest = await page.evaluate(async () => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=manifest]')
    const answer = await fetch(link?.href ?? '')
    return { type: answer.headers.get('content-type'), body: (await answer.json()) as unknown }
  })
  expect(manifest.type).toContain('application/manifest+json')
  const { icons } = manifest.body as { icons: { src: string; sizes: string; type: string }[] }
  for (const { src, sizes, type } of icons) {
    const size = await page.evaluate(async (address) => {
      const picture = new Image()
      picture.src = address
      await picture.decode()
      return `${picture.naturalWidth}x${picture.naturalHeight}`
    }, src)
    if (type === 'image/png') expect(size).toBe(sizes)
  }
  const refusals = await page.evaluate(async () => {
    const { trustedTypes } = window as unknown as {
      trustedTypes: { createPolicy(name: string, rules: object): unknown }
    }
    const tried = [
      () => navigator.serviceWorker.register('/assets/other.js'),
      async () => new Worker('/assets/other.js'),
      async () => trustedTypes.createPolicy('countersign-service-worker', {}),
      async () => trustedTypes.createPolicy('countersign-paint-worker', {}),
      async () => trustedTypes.createPolicy('another', {}),
    ]
    return Promise.all(
      tried.map((attempt) =>
        attempt().then(
          () => 'done',
          (error: Error) => error.name,
        ),
      ),
    )
  })
  expect(refusals).toEqual(Array.from({ length: 5 }, () => 'TypeError'))
  dashboard.complaints.length = 0
})

test('the app opens without a connection and says so; earlier content is not stored', async () => {
  const { requestIds } = await ask(
    dashboard.desk,
    [{ tool: 'write_file', input: { path: 'notes/pocket.md', content: 'kept nowhere' } }],
    'I write',
  )
  const page = await openApp('Grace', '/')
  await page.goto(`${dashboard.url}/requests/${requestIds[0]}`)
  await page.getByText('kept nowhere').first().waitFor()
  // An answer that is not a page is not stored as the app.
  await page.goto(`${dashboard.url}/healthz`)
  await page.context().setOffline(true)
  await page.goto(`${dashboard.url}/requests/${requestIds[0]}`)
  await page.getByText('The service did not answer').waitFor()
  const kept = await page.evaluate(async () => {
    const names: string[] = []
    for (const cache of await caches.keys()) {
      for (const { url } of await (await caches.open(cache)).keys())
        names.push(new URL(url).pathname)
    }
    return names
  })
  expect(kept).toContain('/')
  expect(kept.filter((name) => !/^\/(assets\/[\w.-]+|favicon.svg)?$/.test(name))).toEqual([])
  await page.context().setOffline(false)
  await page.reload()
  await page.getByText('kept nowhere').first().waitFor()
})

test('a page without a connection keeps its files after another page was opened with one, and after the worker was stopped', async () => {
  const page = await openApp('Grace', '/')
  const context = page.context()
  const file = await page.evaluate(async () => {
    for (const cache of await caches.keys()) {
      for (const { url } of await (await caches.open(cache)).keys()) {
        if (url.endsWith('.js')) return new URL(url).pathname
      }
    }
    return ''
  })
  expect(file).toMatch(/^\/assets\//)
  await context.setOffline(true)
  await page.goto(`${dashboard.url}/runs`)
  await page.getByText('The service did not answer').waitFor()
  await context.setOffline(false)
  const other = await context.newPage()
  await other.goto(dashboard.url)
  await other.getByRole('heading', { level: 1 }).waitFor()
  await context.setOffline(true)
  // Without the browser's cache: only the service worker can answer.
  const load = () =>
    page.evaluate(
      (path) =>
        fetch(path, { cache: 'no-store' }).then(
          ({ status }) => status,
          () => 'no answer',
        ),
      file,
    )
  expect(await load()).toBe(200)
  const session = await context.newCDPSession(page)
  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.stopAllWorkers')
  expect(await load()).toBe(200)
  await context.setOffline(false)
})

test('a page that the service worker brings loads none of its files twice', async () => {
  const page = await openApp('Grace', '/account')
  await page.goto(`${dashboard.url}/runs`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  // Ends the page: files that it loads late would be counted for the next one.
  await page.goto('about:blank')
  const files: string[] = []
  page.context().on('request', (request) => {
    // A file that the page before loaded late does not count.
    if (request.isNavigationRequest() && request.serviceWorker() === null) files.length = 0
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('.js') && request.serviceWorker() === null) files.push(pathname)
  })
  const unused: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('is not used')) unused.push(message.text())
  })
  const answer = await page.goto(dashboard.url)
  expect(answer?.fromServiceWorker()).toBe(true)
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(files.length).toBeGreaterThan(5)
  expect(files.filter((name, index) => files.indexOf(name) !== index)).toEqual([])
  expect(unused).toEqual([])
})

/**
 * A page whose browser is played by the test where headless Chromium has no part: the permission
 * and the subscription at a push service. The encryption is real; what the service worker shows is
 * tested beside it.
 */
async function openPushApp(who: string, path: string) {
  const page = await openApp(who, path)
  const target = service.subscribe(testPushKey.publicKey)
  await page.addInitScript(
    ({ endpoint, keys, publicKey }) => {
      const bytes = atob(publicKey.replaceAll('-', '+').replaceAll('_', '/'))
      const applicationServerKey = Uint8Array.from(bytes, (byte) => byte.codePointAt(0) ?? 0).buffer
      let subscription: unknown = null
      Object.defineProperty(Notification, 'permission', {
        get: () => sessionStorage.getItem('permission') ?? 'granted',
      })
      Object.assign(PushManager.prototype, {
        getSubscription: async () => subscription,
        subscribe: async () => {
          subscription = {
            endpoint,
            options: { applicationServerKey },
            toJSON: () => ({ endpoint, expirationTime: null, keys }),
            unsubscribe: async () => true,
          }
          return subscription
        },
      })
    },
    { ...target, publicKey: testPushKey.publicKey },
  )
  await page.reload()
  return { page, target }
}

test('a person whose device cannot subscribe reads why, and how to try again', async () => {
  const { page } = await openPushApp('Linus', '/account')
  await page.evaluate(() => {
    Object.assign(PushManager.prototype, {
      subscribe: async () => Promise.reject(new Error('the push service did not answer')),
    })
  })
  const section = page.getByRole('region', { name: 'Notifications' })
  await section.getByRole('switch', { name: 'Push to this device' }).click()
  const words = 'the push service did not answer. Turn the switch on to try again.'
  await section.getByRole('alert').getByText(words).waitFor()
})

test('a permission that changes in the settings of the browser changes the switches of an open page', async () => {
  const { page } = await openPushApp('Linus', '/account')
  const section = page.getByRole('region', { name: 'Notifications' })
  const blocked = section.getByText('This browser blocks the notifications of this site')
  const push = section.getByRole('switch', { name: 'Push to this device' })
  await push.waitFor()
  expect(await blocked.count()).toBe(0)
  const change = (permission: string) =>
    page.evaluate((value) => sessionStorage.setItem('permission', value), permission)
  await change('denied')
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await blocked.nth(1).waitFor()
  expect(await push.isDisabled()).toBe(true)
  await change('default')
  // The browser tells the page of this change.
  await page.context().grantPermissions(['notifications'], { origin: dashboard.url })
  await expect.poll(() => blocked.count()).toBe(0)
  expect(await push.isEnabled()).toBe(true)
})

test('a device that was subscribed is subscribed again once its browser allows notifications again, and not before', async () => {
  const { page } = await openPushApp('Ada', '/account')
  const section = page.getByRole('region', { name: 'Notifications' })
  await section.getByRole('switch', { name: 'Push to this device' }).click()
  const devices = section.getByRole('list', { name: 'Devices with push notifications' })
  await devices.getByText('this session').waitFor()
  const { db } = dashboard.desk.database
  const own = { person_id: dashboard.desk.people.ada.id }
  const subscribed = async () => (await rowsOf(db, 'push_subscription', own, 'id')).length
  expect(await subscribed()).toBe(1)
  const change = async (permission: string): Promise<void> => {
    await page.evaluate((value) => sessionStorage.setItem('permission', value), permission)
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  }
  let reads = 0
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.url().endsWith('/me/push-subscriptions')) reads += 1
  })
  await change('granted')
  await change('denied')
  // The push service says that the subscription is gone, and the service removes it.
  await page.evaluate(() => Object.assign(PushManager.prototype, { getSubscription: () => null }))
  await db.deleteFrom('push_subscription').where('person_id', '=', own.person_id).execute()
  await change('granted')
  await expect.poll(subscribed).toBe(1)
  expect(reads).toBe(1)
})

/** Pushes what happens, as the API process does. */
async function openRelay(): Promise<ChannelRelay> {
  const { api: ctx, database } = dashboard.desk
  const { db, url: databaseUrl } = database
  const publicUrl = dashboard.url
  const rules = { allow: [], isDevelopment: true }
  const channel = pushChannel({ ctx, key: testPushKey, times: sessionTimes, publicUrl, ...rules })
  await createDeliveries(ctx, channel)
  const { log, policies, seals } = ctx
  return new ChannelRelay({ db, databaseUrl, seals, log, policies, channelsOf: () => [channel] })
}

/** What the service worker showed, and the numbers that it put on the app's icon. */
interface Shown {
  readonly notices: { title: string; body: string; data: { path: string } }[]
  readonly badges: number[]
}

/**
 * Delivers a message to the service worker of a page as the browser does after it has decrypted it,
 * while no page of the app is open. Chromium without a screen shows no notices: they are kept.
 */
async function deliver(page: Page, data: string): Promise<Shown> {
  const worker = page.context().serviceWorkers()[0]
  if (worker === undefined) throw new Error('The page has a service worker')
  await worker.evaluate(() => {
    const scope = globalThis as unknown as { registration: object; navigator: object }
    const shown: { notices: object[]; badges: number[] } = { notices: [], badges: [] }
    Object.assign(globalThis, { shown })
    Object.assign(scope.registration, {
      showNotification: async (title: string, options: object) =>
        void shown.notices.push({ title, ...options }),
    })
    Object.assign(scope.navigator, {
      setAppBadge: async (count: number) => void shown.badges.push(count),
    })
  })
  const session = await page.context().newCDPSession(page)
  const ids = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${dashboard.url}/`)
      if (own !== undefined) resolve(own.registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  const registrationId = await ids
  await page.goto('about:blank')
  const message = { origin: dashboard.url, registrationId, data }
  await session.send('ServiceWorker.deliverPushMessage', message)
  const read = () => worker.evaluate(() => (globalThis as unknown as { shown: Shown }).shown)
  // The number on the icon is the last thing that it does.
  await waitUntil(async () => (await read()).badges.length > 0)
  return read()
}

/**
 * Clicks on a notice, as far as a page can: the event of a script cannot be extended and gives no
 * window the focus.
 */
async function click(page: Page, notice: Shown['notices'][number] | undefined): Promise<void> {
  await page
    .context()
    .serviceWorkers()[0]
    ?.evaluate((clicked) => {
      const event = new Event('notificationclick')
      const notification = { ...clicked, close: () => undefined }
      Object.assign(event, { notification, waitUntil: () => undefined })
      dispatchEvent(event)
    }, notice)
}

// Rules: security.md 22, 39
test('a request is pushed as ids to the device of a signed-in person, which shows what it would do; signing out ends that', async () => {
  const { page, target } = await openPushApp('Grace', '/account')
  const section = page.getByRole('region', { name: 'Notifications' })
  await section.getByRole('switch', { name: 'Push to this device' }).click()
  const devices = section.getByRole('list', { name: 'Devices with push notifications' })
  await devices.getByText('this session').waitFor()
  await section.getByRole('button', { name: 'Send a test message' }).click()
  await section.getByText('The push service took it.').waitFor()
  expect(service.received.at(-1)?.text).toBe('')
  await using _relay = await openRelay()
  const write = { tool: 'write_file', input: { path: 'notes/pushed.md', content: 'secret plans' } }
  const { requestIds } = await ask(dashboard.desk, [write], 'I write')
  // The channel begins with the newest numbered event: one of an earlier request may come first.
  const pushed = () => service.received.find(({ text }) => text.includes(requestIds[0]!))
  await waitUntil(() => pushed() !== undefined, { withinMs: 30_000 })
  expect(pushed()?.path).toBe(new URL(target.endpoint).pathname)
  const text = pushed()?.text ?? ''
  expect(JSON.parse(text)).toEqual({ requestId: requestIds[0], number: expect.any(Number) })
  const { notices, badges } = await deliver(page, text)
  const decidedCount = async () =>
    (await rowsOf(dashboard.desk.database.db, 'decision', { request_id: requestIds[0]! }, 'id'))
      .length
  expect(notices).toMatchObject([{ data: { path: `/requests/${requestIds[0]}` } }])
  expect(JSON.stringify(notices)).toContain('notes/pushed.md')
  expect(JSON.stringify(notices)).not.toContain('secret plans')
  expect(badges.at(-1)).toBeGreaterThan(0)

  // A click on it opens the request in the window that is there, without loading it again.
  await page.goto(`${dashboard.url}/runs`)
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  await page.evaluate(() => Object.assign(window, { isSamePage: true }))
  await click(page, notices[0])
  await page.waitForURL(`**/requests/${requestIds[0]}`)
  await page.getByRole('heading', { level: 1, name: 'notes/pushed.md' }).waitFor()
  expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true)
  expect(await decidedCount()).toBe(0)

  await page.goto(`${dashboard.url}/account`)
  await page.getByRole('button', { name: 'Signed in as Grace' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor()
  const own = { person_id: dashboard.desk.people.grace.id }
  const rows = () => rowsOf(dashboard.desk.database.db, 'push_subscription', own, 'id')
  await expect.poll(rows).toEqual([])
})
