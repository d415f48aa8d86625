import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { openSilentProxy, type SilentProxy } from '../../harness/outages/silent-proxy.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { ask, openDashboard } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard({ heartbeatMs: 3_000 }))

/** Opens the dashboard of a person at another port, with their session. */
async function openThrough(proxy: SilentProxy, path: string): Promise<Page> {
  const first = await dashboard.open('Grace', '/sign-in')
  const proof = await first.evaluate(() => localStorage.getItem('countersign-session') ?? '')
  const page = await first.context().newPage()
  page.setDefaultTimeout(90_000)
  await page.addInitScript((value) => localStorage.setItem('countersign-session', value), proof)
  await page.goto(`http://localhost:${proxy.port}${path}`)
  return page
}

test('a connection that stays open and says nothing is not live after two heartbeats, and what happened meanwhile appears', async () => {
  const input = { path: 'notes/silence.md', content: 'Text\n' }
  const calls = [{ tool: 'write_file', input }]
  const { requestIds } = await ask(dashboard.desk, calls, 'A note.')
  const id = requestIds[0]!
  await using proxy = await openSilentProxy(Number(new URL(dashboard.url).port))
  const page = await openThrough(proxy, `/requests/${id}`)
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  const live = page.locator('[data-state="live"]')
  await live.waitFor()
  const askedFrom: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/events')) askedFrom.push(request.headers()['last-event-id'])
  })
  proxy.fallSilent()
  const begun = Date.now()
  await page.locator('[data-state="reconnecting"]').waitFor()
  expect(Date.now() - begun).toBeLessThan(30_000)
  await page.locator('[data-state="offline"]').waitFor()
  await page.getByText('Offline: nothing can be submitted').waitFor()
  const submit = page.getByRole('button', { name: 'Submit', exact: true })
  expect(await submit.isEnabled()).toBe(false)
  await dashboard.desk.decide(dashboard.desk.people.grace, id, {
    decision: 'deny',
    reason: 'in the silence',
  })
  proxy.speakAgain()
  await live.waitFor()
  await page
    .getByRole('region', { name: 'Why it was denied' })
    .getByText('in the silence')
    .waitFor()
  expect(askedFrom.length).toBeGreaterThan(1)
  expect(askedFrom).not.toContain(undefined)
})

test('a stream that says nothing but heartbeats stays live', async () => {
  const page = await dashboard.open('Grace', '/sign-in')
  const devtools = await page.context().newCDPSession(page)
  const streams = new Map<string, number>()
  // Streams of the page that follows the sign-in do not count.
  devtools.on('Network.requestWillBeSent', ({ documentURL, requestId, request }) => {
    if (documentURL.endsWith('/runs') && request.url.endsWith('/v1/events')) {
      streams.set(requestId, 0)
    }
  })
  devtools.on('Network.dataReceived', ({ requestId }) => {
    const pieces = streams.get(requestId)
    if (pieces !== undefined) streams.set(requestId, pieces + 1)
  })
  await devtools.send('Network.enable')
  await page.goto(`${dashboard.url}/runs`)
  await waitUntil(async () => Math.max(0, ...streams.values()) >= 5)
  expect(streams.size).toBe(1)
  expect(await page.locator('[data-state="live"]').count()).toBe(1)
})
