import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { endAbsence, setAbsence } from '#services/access/absence.ts'
import { createSignInLink } from '#services/access/sign-in/sign-in-link.ts'
import { mailedSignInUrl, signInUrl } from '#services/access/sign-in/sign-in-url.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { startRun } from '#services/runs/starting/start-run.ts'
import { openMailServer } from '../../harness/mail-server.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { rowOf, rowsOf } from '../../harness/fixtures/rows.ts'
import { deskConfig } from '../../harness/fixtures/agent-desk.ts'
import { ask, askForNote, openDashboard, phone } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())

test('new requests wait behind a bar and nothing moves until they are asked for', async () => {
  await askForNote(dashboard.desk, 'notes/here.md')
  const page = await dashboard.open('Grace', '/')
  await page.getByRole('link', { name: 'notes/here.md' }).waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await askForNote(dashboard.desk, 'notes/arrives.md')
  await askForNote(dashboard.desk, 'notes/arrives-too.md')
  await page.getByRole('button', { name: '2 new' }).waitFor()
  expect(await page.locator('.request-row').count()).toBe(1)
  await page.keyboard.press('.')
  await page.getByRole('link', { name: 'notes/arrives.md' }).waitFor()
  expect(await page.locator('.request-row').count()).toBe(3)
})

/** Where the rows are on the screen, by their request. */
function placesOf(page: Page): Promise<Record<string, { y: number; height: number }>> {
  return page.locator('.request-row').evaluateAll((rows) =>
    Object.fromEntries(
      rows.map((row) => {
        const { y, height } = row.getBoundingClientRect()
        return [(row as HTMLElement).dataset['request'] ?? '', { y, height }]
      }),
    ),
  )
}

test.each([
  ['a desktop', { width: 1280, height: 900 }],
  ['a phone', phone],
])(
  'no row moves on %s when others arrive, are claimed or are decided elsewhere, until the person acts',
  async (where, viewport) => {
    const device = where.replace(' ', '-')
    const paths = ['first', 'second', 'third'].map((name) => `notes/${name}-on-${device}.md`)
    const addresses: string[] = []
    for (const path of paths) addresses.push((await askForNote(dashboard.desk, path)).id)
    const page = await dashboard.open('Grace', `/?q=on-${device}`, { viewport })
    await page.getByRole('link', { name: paths[0]! }).waitFor()
    await page.locator('[data-state="live"]').waitFor()
    const before = await placesOf(page)
    expect(Object.keys(before)).toHaveLength(3)
    const row = (path: string) => page.locator('.request-row', { hasText: path })
    await askForNote(dashboard.desk, `notes/fourth-on-${device}.md`)
    const bar = page.getByRole('button', { name: '1 new' })
    await bar.waitFor()
    expect(await placesOf(page)).toEqual(before)
    const { y, height } = (await bar.boundingBox())!
    expect(y + height).toBeLessThanOrEqual(Math.min(...Object.values(before).map((one) => one.y)))
    const linus = await dashboard.open('Linus', `/requests/${addresses[1]}`)
    await linus.getByRole('button', { name: 'Claim' }).click()
    await row(paths[1]!).getByText('Linus is on it').waitFor()
    expect(await placesOf(page)).toEqual(before)
    await linus.getByRole('radio', { name: 'Deny', exact: true }).check()
    await linus.getByRole('button', { name: 'Submit', exact: true }).click()
    await row(paths[1]!).getByText('Denied by Linus').waitFor()
    expect(await placesOf(page)).toEqual(before)
    await page.getByRole('button', { name: '1 new, 1 gone' }).click()
    await row(paths[1]!).waitFor({ state: 'detached' })
    expect(await page.locator('.request-row').count()).toBe(3)
    expect(await page.locator('.request-link:focus').count()).toBe(1)
  },
)

test('a request decided elsewhere greys with the name of who decided, and leaves the focus where it can be found', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/elsewhere.md')
  const page = await dashboard.open('Grace', '/')
  const row = page.locator('.request-row', { hasText: 'notes/elsewhere.md' })
  await row.getByRole('link').focus()
  const linus = await dashboard.open('Linus', `/requests/${id}`)
  await linus.getByRole('radio', { name: 'Deny', exact: true }).check()
  await linus.getByRole('button', { name: 'Submit', exact: true }).click()
  await row.getByText('Denied by Linus').waitFor()
  expect(await row.getAttribute('data-gone')).toBe('true')
  await page.keyboard.press('.')
  await row.waitFor({ state: 'detached' })
  const focused = await page.evaluate(() => document.activeElement?.className ?? '')
  expect(focused).toContain('request-link')
})

test('a stream that was lost is said to be, is taken up again, and what happened meanwhile appears', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/gap.md')
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await dashboard.stopListening()
  await page.locator('[data-state="reconnecting"]').waitFor()
  await dashboard.desk.decide(dashboard.desk.people.grace, id, {
    decision: 'deny',
    reason: 'in the gap',
  })
  await dashboard.listenAgain()
  await page.locator('[data-state="live"]').waitFor({ timeout: 90_000 })
  await page.getByRole('region', { name: 'Why it was denied' }).getByText('in the gap').waitFor()
  expect(await page.getByRole('radio').count()).toBe(0)
})

/** Holds the requests of a page for `path` until the function that it returns is called. */
async function hold(page: Page, path: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(`**${path}`, async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

/** Opens the page of a request for Grace in a new window whose requests for `held` wait. */
async function openWithout(held: string, id: string) {
  const first = await dashboard.open('Grace', '/sign-in')
  const page = await first.context().newPage()
  page.setDefaultTimeout(60_000)
  const goOn = await hold(page, held)
  await page.goto(`${dashboard.url}/requests/${id}`)
  return { page, goOn }
}

const isNumbered = async (): Promise<boolean> =>
  (await dashboard.desk.database.db
    .selectFrom('event')
    .select('id')
    .where('sequence', 'is', null)
    .executeTakeFirst()) === undefined

async function denyElsewhere(id: string): Promise<void> {
  const { desk } = dashboard
  await desk.decide(desk.people.linus, id, { decision: 'deny', reason: 'meanwhile' })
  await waitUntil(isNumbered)
}

const deniedIn = (page: Page) =>
  page.getByRole('complementary', { name: 'Decision' }).getByText('Denied by Linus')

test('a page that reads nothing more shows the sign-in soon after its session ended elsewhere', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/ended-session.md')
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await page.locator('[data-state="live"]').waitFor()
  await page.getByLabel('Reason').fill('typed before the end')
  const { people, database } = dashboard.desk
  await database.db.deleteFrom('session').where('person_id', '=', people.grace.id).execute()
  await page.getByText('Your session ended.').waitFor()
  expect(new URL(page.url()).pathname).toBe(`/requests/${id}`)
})

/** A page of Grace that learns of the other session when it sends something, and not before. */
async function openWithoutStream(id: string): Promise<Page> {
  const page = await dashboard.open('Grace', '/sign-in')
  await page.route('**/v1/events', (route) => route.abort())
  await page.goto(`${dashboard.url}/requests/${id}`)
  await page.evaluate(() => Object.assign(window, { memory: 'of Grace' }))
  return page
}

/** Signs these people in, one after the other, in another tab of the page's browser. */
async function signInElsewhere(page: Page, ...names: string[]): Promise<void> {
  const tab = await page.context().newPage()
  await tab.goto(`${dashboard.url}/runs`)
  for (const name of names) {
    await tab.getByRole('button', { name: /^Signed in as/ }).click()
    await tab.getByRole('menuitem', { name }).click()
    await tab.getByRole('button', { name: `Signed in as ${name}` }).waitFor()
  }
}

const memoryOf = (page: Page) =>
  page.evaluate(() => (window as { memory?: string }).memory ?? 'none')

test('a page of a person shows nothing and sends nothing of theirs once somebody else signed in in another tab', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/another-tab.md')
  const page = await openWithoutStream(id)
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  await page.getByLabel('Reason').fill('typed by Grace')
  await signInElsewhere(page, 'Linus')
  await page.getByRole('button', { name: 'Submit', exact: true }).click()
  await page.getByRole('button', { name: 'Signed in as Linus' }).waitFor()
  await page.getByRole('radio', { name: 'Deny', exact: true }).waitFor()
  expect(await page.getByLabel('Reason').inputValue()).toBe('')
  expect(await page.getByRole('radio', { name: 'Deny', exact: true }).isChecked()).toBe(false)
  expect(await memoryOf(page)).toBe('none')
  const decisions = await rowsOf(dashboard.desk.database.db, 'decision', { request_id: id }, 'id')
  expect(decisions).toEqual([])
})

test('a page loads anew for another person, also if the browser does not answer which notices it shows', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/no-answer.md')
  const page = await openWithoutStream(id)
  await page.evaluate(() => {
    navigator.serviceWorker.getRegistration = () => new Promise(() => undefined)
  })
  await signInElsewhere(page, 'Linus')
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  await page.getByLabel('Reason').fill('typed by Grace')
  await page.getByRole('button', { name: 'Submit', exact: true }).click()
  await page.getByRole('button', { name: 'Signed in as Linus' }).waitFor()
  expect(await memoryOf(page)).toBe('none')
})

test('a held decision that is withdrawn because somebody else signed in in another tab is said to be, by its number alone', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/held-elsewhere.md')
  const { number } = await rowOf(dashboard.desk.database.db, 'request', { id })
  const page = await openWithoutStream(id)
  await page.getByRole('radio', { name: 'Approve as shown' }).waitFor()
  await signInElsewhere(page, 'Linus')
  await page.bringToFront()
  await page.keyboard.press('a')
  await page.keyboard.press('a')
  await page.getByRole('button', { name: 'Signed in as Linus' }).waitFor()
  const words = page.getByRole('alert').filter({ hasText: 'These decisions may not be recorded' })
  await words.getByText(`: #${number}.`).waitFor()
  expect(await words.getByText('held-elsewhere').count()).toBe(0)
  const decisions = await rowsOf(dashboard.desk.database.db, 'decision', { request_id: id }, 'id')
  expect(decisions).toEqual([])
})

test('a decision is sent again after the same person signed in anew in another tab', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/new-session.md')
  const page = await openWithoutStream(id)
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  await page.getByLabel('Reason').fill('kept')
  await signInElsewhere(page, 'Linus', 'Grace')
  await page.getByRole('button', { name: 'Submit', exact: true }).click()
  const refusal = page.getByRole('alert').getByText('signed in in another tab of this browser')
  await refusal.waitFor()
  expect(await page.getByLabel('Reason').inputValue()).toBe('kept')
  expect(await memoryOf(page)).toBe('of Grace')
  await page.getByRole('button', { name: 'Submit', exact: true }).click()
  await page.getByText('Denied by you').waitFor()
})

test('a change between the first answers of a page and the opening of its stream appears', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/before-the-stream.md')
  const { page, goOn } = await openWithout('/v1/events', id)
  await page.getByRole('radio', { name: 'Deny', exact: true }).waitFor()
  await denyElsewhere(id)
  goOn()
  await deniedIn(page).waitFor()
})

test('a change of a request that a page loaded before its person appears', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/before-the-person.md')
  const loaded = Promise.withResolvers<void>()
  const { page, goOn } = await openWithout('/v1/me', id)
  page.on('requestfinished', (request) => {
    if (request.url().endsWith(`/v1/requests/${id}`)) loaded.resolve()
  })
  await loaded.promise
  await denyElsewhere(id)
  goOn()
  await deniedIn(page).waitFor()
})

test('an answer that was read before a colleague decided, and arrives after, does not stay on the page', async () => {
  const { path, id } = await askForNote(dashboard.desk, 'notes/slow-answer.md')
  const page = await dashboard.open('Grace', '/')
  await page.locator('[data-state="live"]').waitFor()
  const { promise: arrival, resolve: arrive } = Promise.withResolvers<void>()
  const { promise: reading, resolve: read } = Promise.withResolvers<void>()
  await page.route(/\/v1\/requests\/\d+$/, async (route) => {
    const response = await route.fetch()
    read()
    await arrival
    await route.fulfill({ response })
  })
  await page.getByRole('link', { name: path }).click()
  await reading
  await denyElsewhere(id)
  await page.locator('.request-row', { hasText: path }).getByText('Denied by Linus').waitFor()
  arrive()
  await deniedIn(page).waitFor()
})

test('a page whose person comes from an API of an earlier version is live, from the next event on', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/earlier-version.md')
  const first = await dashboard.open('Grace', '/sign-in')
  const page = await first.context().newPage()
  page.setDefaultTimeout(60_000)
  await page.route('**/v1/me', async (route) => {
    const response = await route.fetch()
    const { lastEventId, ...me } = (await response.json()) as Record<string, unknown>
    expect(lastEventId).toMatch(/^\d+$/)
    await route.fulfill({ response, json: me })
  })
  const opening = page.waitForRequest('**/v1/events')
  await page.goto(`${dashboard.url}/requests/${id}`)
  expect((await opening).headers()).not.toHaveProperty('last-event-id')
  await page.locator('[data-state="live"]').waitFor()
  await denyElsewhere(id)
  await deniedIn(page).waitFor()
})

test('the last turns that cannot load say so in their place, and the request stays to be decided', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/part.md')
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await page.route('**/assets/last-turns-*.js', (route) => route.abort())
  await page.getByText('The last turns', { exact: true }).click()
  await page.getByRole('alert').getByText('This part did not load').waitFor()
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.unroute('**/assets/last-turns-*.js')
  await page.getByRole('button', { name: 'Load the page again' }).click()
  await page.getByText('The last turns', { exact: true }).click()
  await page.locator('.turns .turn').first().waitFor()
})

test('deciding is switched off after thirty seconds without the service, and says so', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/offline.md')
  const page = await dashboard.open('Grace', '/')
  await page.clock.install()
  await page.goto(`${dashboard.url}/requests/${id}`)
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.locator('[data-state="live"]').waitFor()
  await dashboard.stopListening()
  await page.locator('[data-state="reconnecting"]').waitFor()
  const submit = page.getByRole('button', { name: 'Submit', exact: true })
  expect(await submit.isEnabled()).toBe(true)
  await page.clock.runFor(40_000)
  await page.locator('[data-state="offline"]').waitFor()
  await page.getByText('Offline: nothing can be submitted').waitFor()
  expect(await submit.isEnabled()).toBe(false)
  await dashboard.listenAgain()
})

test('a device that loses its network is said to be offline at once, and live as soon as it is back', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/no-network.md')
  const page = await dashboard.open('Grace', '/')
  await page.clock.install()
  await page.goto(`${dashboard.url}/requests/${id}`)
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.locator('[data-state="live"]').waitFor()
  // No timer of the page runs, so that only the events of the browser change something.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 500))
  await page.context().setOffline(true)
  await page.locator('[data-state="offline"]').waitFor()
  await page.getByText('Offline: nothing can be submitted').waitFor()
  await page.context().setOffline(false)
  await page.locator('[data-state="live"]').waitFor()
  // A service on the device itself answers without a network.
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'onLine', { get: () => false })
    window.dispatchEvent(new Event('offline'))
  })
  await page.clock.resume()
  const { desk } = dashboard
  await desk.decide(desk.people.grace, id, { decision: 'deny', reason: 'no network' })
  await page.getByRole('region', { name: 'Why it was denied' }).getByText('no network').waitFor()
  await page.locator('[data-state="live"]').waitFor()
})

test('a sign-in takes place under the requested address, and the page opens there', async () => {
  const { id } = await askForNote(dashboard.desk, 'notes/deep-link.md')
  const page = await dashboard.openSignedOut(`/requests/${id}`)
  await page.getByLabel('Person').selectOption('grace@example.com')
  await page.getByLabel('Development token').fill('a-wrong-token')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('.mantine-InputWrapper-error').waitFor()
  await page.getByLabel('Development token').fill('a-token-that-only-the-owner-can-read')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'notes/deep-link.md' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/requests/${id}`)
  // The sign-in page redirects people who are signed in already.
  await page.goto(new URL('/sign-in', page.url()).href)
  await page.waitForURL((url) => url.pathname === '/')
})

test('a one-time link signs in once, and its token does not stay in the address', async () => {
  const caller = { actor: { type: 'system' }, channel: 'system' } as const
  const made = await createSignInLink(dashboard.desk.api, caller, { email: 'grace@example.com' })
  const path = signInUrl('', made.token)
  const first = await dashboard.openSignedOut(path)
  await first.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  expect(first.url()).not.toContain('link=')
  const second = await dashboard.openSignedOut(path)
  await second.getByText('This link does not sign you in').waitFor()
  expect(await second.locator('main p').count()).toBe(2)
})

test('a mailed link leads to the page that the person wanted, and the sign-in page says the same for every address', async () => {
  await using server = await openMailServer()
  const { id } = await askForNote(dashboard.desk, 'notes/by-mail.md')
  const email = `email:\n  smtp: { host: 127.0.0.1, port: ${server.port}, security: none }\n  from: countersign@example.com\n`
  await dashboard.desk.activate({ 'countersign.yaml': deskConfig + email })
  const page = await dashboard.openSignedOut(`/requests/${id}`)
  const send = async (address: string): Promise<void> => {
    await page.getByLabel('E-mail address').fill(address)
    await page.getByRole('button', { name: 'Mail me a sign-in link' }).click()
    await page.getByText(`If ${address} may sign in here`).waitFor()
  }
  await send('nobody@example.com')
  await send('grace@example.com')
  await waitUntil(() => server.received.length === 1)
  const [mail] = server.received
  expect(mail?.to).toEqual(['grace@example.com'])
  const link = new RegExp(`${dashboard.url}\\S+`).exec(mail?.message.text ?? '')?.[0] ?? ''
  // It opens in another tab of the same browser. The page that it is asked on is not in the mail.
  expect(mail?.raw).not.toContain(id)
  const tab = await page.context().newPage()
  await tab.goto(link)
  await tab.getByRole('button', { name: 'Sign in on this device' }).click()
  await tab.getByRole('heading', { level: 1, name: 'notes/by-mail.md' }).waitFor()
  expect(tab.url()).toBe(`${dashboard.url}/requests/${id}`)
  await dashboard.desk.activate({ 'countersign.yaml': deskConfig })
})

// Rules: security.md 12
test('a mailed link waits for a click, so that what looks into mail does not use it up', async () => {
  const caller = { actor: { type: 'system' }, channel: 'system' } as const
  const made = await createSignInLink(dashboard.desk.api, caller, { email: 'grace@example.com' })
  const path = mailedSignInUrl('', made.token)
  const scanner = await dashboard.openSignedOut(path)
  await scanner.getByRole('button', { name: 'Sign in on this device' }).waitFor()
  expect(scanner.url()).not.toContain(made.token)
  await scanner.close()
  const person = await dashboard.openSignedOut(path)
  await person.getByRole('button', { name: 'Sign in on this device' }).click()
  await person.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
})

/**
 * Chromium without a screen shows no notices: what it would show is kept, for all tabs of its
 * person.
 */
async function keepNotices(page: Page): Promise<void> {
  await page.addInitScript(() => {
    class Kept extends EventTarget {
      static permission = 'default'
      static async requestPermission(): Promise<string> {
        localStorage.setItem('asked', 'yes')
        Kept.permission = 'granted'
        return 'granted'
      }
      constructor(title: string, options: object) {
        super()
        const kept = JSON.parse(localStorage.getItem('kept') ?? '[]')
        localStorage.setItem('kept', JSON.stringify([...kept, { title, ...options }]))
        Object.assign(globalThis, { newestNotice: this })
      }
      close(): void {
        localStorage.setItem('closed', 'yes')
      }
    }
    if (localStorage.getItem('asked') === 'yes') Kept.permission = 'granted'
    Object.assign(globalThis, { Notification: Kept })
  })
  await page.reload()
}

const keptNotices = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem('kept') ?? '[]') as { title: string }[])

const hide = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(
    (value) => Object.defineProperty(document, 'visibilityState', { value, configurable: true }),
    state,
  )

test('a request that arrives while the page is hidden makes one browser notification, if a click has allowed them', async () => {
  const page = await dashboard.open('Grace', '/account')
  await keepNotices(page)
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await page.evaluate(() => Notification.permission)).toBe('default')
  await page.getByRole('switch', { name: 'Notifications of this browser' }).click()
  await waitUntil(
    async () => (await page.evaluate(() => localStorage.getItem('countersign.notices'))) === 'on',
  )
  const other = await page.context().newPage()
  await other.goto(`${dashboard.url}/audit`)
  await keepNotices(other)
  await other.getByText('Live', { exact: true }).waitFor()
  for (const tab of [page, other]) await hide(tab, 'visible')
  await askForNote(dashboard.desk, 'notes/in-sight.md')
  await waitUntil(() =>
    page.evaluate(() => (localStorage.getItem('countersign.noticed') ?? '').includes('-')),
  )
  for (const tab of [page, other]) await hide(tab, 'hidden')
  await askForNote(dashboard.desk, 'notes/told.md')
  await waitUntil(async () => (await keptNotices(page)).length > 0)
  await askForNote(dashboard.desk, 'notes/told-too.md')
  await waitUntil(async () => (await keptNotices(page)).length > 1)
  expect((await keptNotices(page)).map(({ title }) => title)).toEqual([
    'Create notes/told.md: 1 line added',
    'Create notes/told-too.md: 1 line added',
  ])
  const notifiedPage = (await page.evaluate(() => 'newestNotice' in globalThis)) ? page : other
  await notifiedPage.evaluate(() =>
    (globalThis as unknown as { newestNotice: EventTarget }).newestNotice.dispatchEvent(
      new Event('click'),
    ),
  )
  await notifiedPage.waitForURL(/\/requests\//)
})

test('a person who started runs sees whom the runs wait for and since when, and reminds these people once an hour', async () => {
  const { desk } = dashboard
  const input = { path: 'notes/waited-for.md', content: 'Text\n' }
  const { runId, requestIds } = await ask(desk, [{ tool: 'write_file', input }], 'A note.')
  const page = await dashboard.open('Ada', '/')
  const region = page.getByRole('region', { name: 'You wait for' })
  const row = region.getByRole('listitem').filter({
    has: page.locator(`a[href="/requests/${requestIds[0]}"]`),
  })
  await row.getByText('Grace').waitFor()
  await row.getByText('Write the notes').waitFor()
  await row.getByRole('link', { name: /notes\/waited-for\.md.*#\d+/ }).waitFor()
  await setAbsence(desk.api, desk.people.grace.caller, { until: '2100-01-01T00:00:00Z' })
  await page.reload()
  await row.getByText('(away until').waitFor()
  const nudge = row.getByRole('button', { name: /^Nudge .*Grace.* about #\d+$/ })
  await setAbsence(desk.api, desk.people.linus.caller, { until: '2100-01-01T00:00:00Z' })
  await nudge.click()
  await page.getByText('Nobody is notified: nobody who can still decide it is here').waitFor()
  const run = await dashboard.open('Ada', `/runs/${runId}`)
  await run.getByText('Waits for a decision from Grace (away), Linus (away).').waitFor()
  for (const { caller } of [desk.people.grace, desk.people.linus]) {
    await endAbsence(desk.api, caller)
  }
  await nudge.click()
  await page.getByText('2 people are notified').waitFor()
  expect(await nudge.evaluate((it) => it === document.activeElement)).toBe(true)
  await nudge.click()
  await page.getByRole('alert').getByText(/hour/).first().waitFor()
  const grace = await dashboard.open('Grace', '/')
  await grace.locator('.request-row').first().waitFor()
  expect(await grace.getByRole('region', { name: 'You wait for' }).count()).toBe(0)
  // Above the list, because nothing of it is Ada's to decide.
  const isAbove = async () => {
    const parts = [region, page.locator('.request-list')]
    const [own, list] = await Promise.all(parts.map((part) => part.boundingBox()))
    return own !== null && list !== null && own!.y < list!.y
  }
  expect(await isAbove()).toBe(true)
  const hers = { path: 'notes/for-ada.md', content: 'Text\n' }
  desk.say({ calls: [{ tool: 'write_file', input: hers }] })
  const { id } = await startRun(desk.api, desk.people.linus.caller, {
    worker: 'scribe',
    input: 'Write for Ada',
  })
  await desk.turn(id, 1)
  await page.reload()
  await row.waitFor()
  expect(await isAbove()).toBe(false)
})

test('another policy in force changes on an open page who can decide, and a person who may not reads why once', async () => {
  const { desk } = dashboard
  const { id } = await askForNote(dashboard.desk, 'notes/deciders.md')
  const page = await dashboard.open('Linus', `/requests/${id}`)
  const names = page.locator('.panel-facts').getByText('Grace, Linus')
  await names.waitFor()
  await page.locator('[data-state="live"]').waitFor()
  const config = deskConfig
    .replace('grace@example.com, ', '')
    .replace('[olga@', '[linus@example.com, olga@')
  await desk.activate({ 'countersign.yaml': config })
  await names.waitFor({ state: 'detached' })
  // The page gets no event when he leaves the team. He still sees all runs.
  const { db } = desk.database
  const places = db.deleteFrom('team_member').where('person_id', '=', desk.people.linus.id)
  await places.where('team', '=', 'platform').execute()
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  await page.getByRole('button', { name: 'Submit', exact: true }).click()
  await page.getByText('Your denial was not recorded.').waitFor()
  await page.getByRole('radio').first().waitFor({ state: 'detached' })
  expect(await page.getByText(/can.t decide/i).count()).toBe(1)
})
