import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { ask, openDashboard, phone } from '../open-dashboard.ts'

const many = 5_000
const dashboard = disposeAfterTests(await openDashboard())
beforeAll(async () => {
  const { desk } = dashboard
  const input = { path: 'notes/many.md', content: 'Text\n' }
  const { requestIds } = await ask(desk, [{ tool: 'write_file', input }], 'A note.')
  await sql`
    with more as (
      insert into request (id, kind, state, queue, team, risk, tool, title, digest, policy_digest, rule, routing,
        run_id, root_run_id, call_id, turn, position, created_at, expires_at, epoch)
      select gen_random_uuid(), kind, state, queue, team, risk, tool, title || ' ' || n, digest, policy_digest, rule,
        routing, run_id, root_run_id, call_id, turn, position, created_at - n * interval '1 second', expires_at, epoch
      from request, generate_series(1, ${many - 1}::int) n where request.id = ${requestIds[0]}
      returning id)
    insert into request_revision
    select (jsonb_populate_record(r, jsonb_build_object('request_id', more.id))).*
    from more, request_revision r where r.request_id = ${requestIds[0]}
  `.execute(desk.database.db)
  // Postgres does so by itself a minute later. Until then it reads all rows again for each of them.
  await sql`analyze`.execute(desk.database.db)
})

test('the list fetches and holds one page of 5,000 waiting requests, and keys move over it', async () => {
  // From a page without the list: what a first load of it had still to fetch is not counted.
  const page = await dashboard.open('Grace', '/account')
  await page.getByRole('heading', { name: 'Account' }).waitFor()
  // Nothing of it is still asked.
  await page.goto('about:blank')
  const fetched: string[] = []
  const addresses: string[] = []
  const answersBefore: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/v1/')) addresses.push(request.url())
    if (request.url().includes('/v1/requests?')) fetched.push(request.url())
  })
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (pathname.startsWith('/v1/') && fetched.length === 0) answersBefore.push(pathname)
  })
  await page.goto(`${dashboard.url}/`)
  await page.locator('.request-row').first().waitFor()
  // The list waits for nothing but the person, and few calls stand before the first key.
  expect(answersBefore).toEqual(['/v1/me'])
  expect(addresses.length).toBeLessThanOrEqual(8)
  await page.getByText('Live', { exact: true }).waitFor()
  const all = page.getByRole('navigation', { name: 'Queues' }).getByText(String(many))
  await all.first().waitFor()
  expect(await page.locator('.request-row').count()).toBe(100)
  expect(fetched).toHaveLength(1)

  for (let row = 0; row < 20; row += 1) await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByText('1 selected').waitFor()
  expect(await page.evaluate(() => document.activeElement?.closest('li')?.dataset['request'])).toBe(
    await page.locator('.request-row').nth(19).getAttribute('data-request'),
  )
})

test('more requests are shown a page at a time, and an event refetches the shown ones, not the queue', async () => {
  // By urgency the newest of equals would be behind the 5,000.
  const page = await dashboard.open('Grace', '/?sort=createdAt')
  await page.locator('.request-row').first().waitFor()
  for (const count of [200, 300]) {
    await page.getByRole('button', { name: 'Show more' }).click()
    await page
      .locator('.request-row')
      .nth(count - 1)
      .waitFor()
    expect(await page.locator('.request-row').count()).toBe(count)
  }
  const fetched: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/v1/requests?')) fetched.push(request.url())
  })
  const input = { path: 'notes/one-more.md', content: 'Text\n' }
  await ask(dashboard.desk, [{ tool: 'write_file', input }], 'One more.')
  await page.getByRole('button', { name: /^\d+ new$/ }).waitFor()
  expect(await page.locator('.request-row').count()).toBe(300)
  expect(fetched.length).toBeLessThanOrEqual(9)
})

/** Of all loaded rows, how many the browser draws; and the height of the page. */
const drawnRows = (page: Page) =>
  page.evaluate(() => {
    const links = [...document.querySelectorAll('.request-row .request-link')]
    const isDrawn = (it: Element) => it.checkVisibility({ contentVisibilityAuto: true })
    const { scrollHeight, scrollTop, clientHeight } = document.documentElement
    return {
      rows: links.length,
      drawn: links.filter(isDrawn).length,
      height: scrollHeight,
      below: Math.floor(scrollHeight - scrollTop - clientHeight),
    }
  })

test.each([
  ['a desktop', { width: 1280, height: 900 }],
  ['a phone', phone],
])(
  'only the rows near the screen are drawn of 500 on %s, and scrolling through them moves none',
  async (_, viewport) => {
    const page = await dashboard.open('Grace', '/?sort=createdAt', { viewport })
    const rows = page.locator('.request-row')
    await rows.first().waitFor()
    for (let count = 200; count <= 500; count += 100) {
      await page.getByRole('button', { name: 'Show more' }).click()
      await rows.nth(count - 1).waitFor()
    }
    await page.evaluate(() => {
      const moves: string[] = []
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const { sources = [] } = entry as unknown as {
            sources?: { previousRect: DOMRect; currentRect: DOMRect }[]
          }
          // An age that becomes longer begins further left.
          for (const { previousRect: from, currentRect: to } of sources)
            if (from.y !== to.y) moves.push(`${from.y} → ${to.y}`)
        }
      }).observe({ type: 'layout-shift' })
      Object.assign(window, { moves })
      window.scrollTo(0, 0)
    })
    await page.mouse.move(viewport.width / 2, viewport.height / 2)
    const atFirst = await drawnRows(page)
    const steps = [atFirst]
    while ((steps.at(-1)?.below ?? 0) > 0) {
      await page.mouse.wheel(0, 3 * viewport.height)
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      )
      steps.push(await drawnRows(page))
    }
    expect(steps.length).toBeGreaterThan(5)
    for (const { rows: all, drawn, height } of steps) {
      expect(all).toBe(500)
      expect(drawn).toBeGreaterThan(0)
      expect(drawn).toBeLessThanOrEqual(150)
      // What is reserved for a row is as high as the row.
      expect(height).toBe(atFirst.height)
    }
    expect(await page.evaluate(() => (window as unknown as { moves: string[] }).moves)).toEqual([])
  },
)
