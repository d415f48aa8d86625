import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { ask, openDashboard, phone, tellTemporal } from '../open-dashboard.ts'
import { writeCall } from '../../harness/fixtures/runs/file-calls.ts'

/** Long enough for the placeholder of the data, which is drawn after 150 ms. */
const answerMs = 400

const dashboard = disposeAfterTests(await openDashboard())
const { desk } = dashboard
const { runId } = await ask(desk, [writeCall('notes/1.md'), writeCall('notes/2.md')], 'Two notes.')
const ended = await ask(desk, [writeCall('notes/3.md')], 'One note.')
await desk.decide(desk.people.linus, ended.requestIds[0]!)
await desk.execute(ended.callIds[0]!)

/** Every move of something on the screen since the page began to load, with what moved. */
async function movesOf(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const found: string[] = []
    const describe = (node: Node | null): string =>
      node instanceof Element ? `${node.tagName.toLowerCase()}.${node.className}` : 'text'
    await new Promise<void>((resolve) => {
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const { sources = [] } = entry as unknown as {
            sources?: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[]
          }
          for (const { node, previousRect, currentRect } of sources) {
            const [from, to] = [previousRect, currentRect].map(({ x, y }) => `${x},${y}`)
            // An element that grows or shrinks without moving others does not count.
            if (from !== to) found.push(`${describe(node)} ${from} → ${to}`)
          }
        }
      })
      observer.observe({ type: 'layout-shift', buffered: true })
      setTimeout(resolve, 100)
    })
    return found
  })
}

const pages = [
  '/',
  '/requests/1',
  '/requests/3',
  `/runs/${runId}/turns/1`,
  '/runs',
  '/runs/new?worker=scribe',
  `/runs/${runId}`,
  '/insights',
  '/audit',
  '/policy',
  '/account',
]

test.each([
  ['a desktop', { width: 1280, height: 900 }],
  ['a phone', phone],
])('nothing of any page moves on %s when data arrives', async (_, viewport) => {
  const page = await dashboard.open('Grace', '/account', { viewport })
  page.setDefaultTimeout(90_000)
  // A page waits three seconds at most for its data; on a busy machine they take longer.
  await page.addInitScript(() => {
    const now = performance.now.bind(performance)
    performance.now = () => now() / 20
  })
  let waiting = 0
  await page.route('**/v1/**', async (route) => {
    if (/\/v1\/(events|auth)/.test(route.request().url())) return route.continue()
    waiting += 1
    const response = await route.fetch({ maxRetries: 3 })
    await new Promise((resolve) => setTimeout(resolve, answerMs))
    await route.fulfill({ response })
    waiting -= 1
  })
  // The first page waits for both faces longer than for the person.
  await page.route(
    '**/*.woff2',
    async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1.5 * answerMs))
      await route.continue()
    },
    { times: 2 },
  )
  const found: string[] = []
  for (const path of pages) {
    await page.goto(dashboard.url + path)
    await page.locator('main h1').waitFor()
    // Requests that depend on an answer begin before the answer is drawn.
    await waitUntil(async () => {
      const busy = await page.locator('[aria-busy=true]').count()
      return busy === 0 && waiting === 0
    })
    for (const move of await movesOf(page)) found.push(`${path} ${move}`)
  }
  expect(found).toEqual([])
})

// Below 1,280 pixels a row has two lines.
test.each([1280, 1100, 1000])(
  'the placeholders of the inbox on %i pixels are as high as its rows',
  async (width) => {
    const page = await dashboard.open('Grace', '/account', { viewport: { width, height: 900 } })
    const held = Promise.withResolvers<void>()
    await page.route('**/v1/requests?**', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto(`${dashboard.url}/`)
    const heightOf = async (rows: string) =>
      (await page.locator(rows).nth(1).boundingBox())?.height ?? 0
    const reserved = await heightOf('.loading-rows > div')
    held.resolve()
    expect(Math.abs((await heightOf('.request-row')) - reserved)).toBeLessThanOrEqual(3)
    // Compact rows have the height that is reserved for those below the screen.
    await page.evaluate(() => {
      document.documentElement.dataset['rows'] = 'compact'
    })
    const row = page.locator('.request-row').nth(1)
    const off = await row.evaluate((it) => {
      const style = getComputedStyle(it)
      const sizes = [
        'contain-intrinsic-height',
        'padding-top',
        'padding-bottom',
        'border-top-width',
      ]
      const reservedPx = sizes.reduce(
        (sum, name) => sum + Number.parseFloat(style.getPropertyValue(name).replace('auto ', '')),
        0,
      )
      return it.getBoundingClientRect().height - reservedPx
    })
    expect(Math.abs(off)).toBeLessThanOrEqual(1)
  },
)

test('an ended request is shown when its result does not come', async () => {
  const page = await dashboard.open('Grace', '/account')
  await page.route('**/v1/runs/*/transcript*', () => new Promise(() => {}))
  await page.goto(`${dashboard.url}/requests/3`)
  await page.getByRole('heading', { level: 1, name: /notes\/3\.md/ }).waitFor()
})

const viewports = { 'a desktop': 1280, 'a narrow window': 1100, 'a phone': phone.width }

test.each(
  Object.entries(viewports).flatMap(([name, width]) => [
    [name, width, 'before it is decided'] as const,
    [name, width, 'before it is carried out'] as const,
  ]),
)(
  'on %s of %i pixels nothing of a request that is read from %s on moves, and what comes of it is said once',
  async (_, width, opened) => {
    const path = `notes/live-${width}-${opened.replaceAll(' ', '-')}.md`
    const { requestIds, callIds, runId } = await ask(desk, [writeCall(path)], 'A note.')
    const id = requestIds[0]!
    const approve = () => desk.decide(desk.people.linus, id, { reason: 'as agreed' })
    if (opened === 'before it is carried out') await approve()
    const viewport = { width, height: 900 }
    const page = await dashboard.open('Grace', `/requests/${id}`, { viewport })
    const isPhone = width === phone.width
    const panel = page.getByRole('complementary', { name: 'Decision' })
    const main = page.locator('.request-main')
    await main.waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    // The parts that have scripts of their own are there too.
    const form = isPhone ? page.locator('.sheet') : panel
    await form.locator('.decision-panel').waitFor({ state: 'attached' })
    await waitUntil(async () => (await page.locator('[aria-busy=true]').count()) === 0)
    const parts = page.locator('.request-main > *')
    const placesOf = () =>
      parts.evaluateAll((all) => all.map((part) => Math.round(part.getBoundingClientRect().top)))
    const before = await placesOf()
    if (opened === 'before it is decided') await approve()
    await (isPhone ? main : panel).getByText('Approved by Linus').waitFor()
    await desk.execute(callIds[0]!)
    await tellTemporal(desk, runId)
    const result = isPhone
      ? main.getByRole('region', { name: 'Approved by Linus' })
      : panel.getByRole('region', { name: 'What came of it' })
    await result.getByText('Returned').waitFor()
    expect((await placesOf()).slice(0, before.length)).toEqual(before)
    expect(await (isPhone ? main : panel).getByText('Approved by Linus').count()).toBe(1)
    // What is added stands at the end.
    if (isPhone) expect(await parts.last().getAttribute('class')).toContain('result')
  },
)
