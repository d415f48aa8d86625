import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ask, openDashboard } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { axeProblems } from '../../harness/programs/axe.ts'

const hourMs = 3_600_000
const desktop = { width: 1440, height: 900 }
const dashboard = disposeAfterTests(await openDashboard())
const calls = ['one', 'two', 'three'].map((name) => ({
  tool: 'write_file',
  input: { path: `notes/${name}.md`, content: 'Text\n' },
}))
const runId = (await ask(dashboard.desk, calls, 'Three files.')).runId
const input = { path: 'notes/alone.md', content: 'Text\n' }
await ask(dashboard.desk, [{ tool: 'write_file', input }], 'One file.')

const row = (page: Page, path: string) => page.locator('.request-row', { hasText: path })
const headline = (page: Page, path: string) =>
  page.getByRole('heading', { level: 1, name: new RegExp(path) })
const placeOf = (page: Page, path: string) => row(page, path).boundingBox()
const focusedRow = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest('.request-row')?.textContent ?? '')

test('the list stays beside the card on a wide screen, under an address that keeps both, also after a reload', async () => {
  const page = await dashboard.open('Grace', '/?queue=platform', { viewport: desktop })
  await row(page, 'notes/one.md').getByRole('link', { name: 'notes/one.md' }).click()
  await headline(page, 'notes/one.md').waitFor()
  expect(new URL(page.url()).search).toBe('?queue=platform')
  const card = page.locator('.inbox-card')
  await card.getByRole('complementary', { name: 'Decision' }).waitFor()
  const before = await placeOf(page, 'notes/three.md')
  await row(page, 'notes/two.md').getByRole('link', { name: 'notes/two.md' }).click()
  await headline(page, 'notes/two.md').waitFor()
  expect(await placeOf(page, 'notes/three.md')).toEqual(before)
  await page.reload()
  await headline(page, 'notes/two.md').waitFor()
  await row(page, 'notes/three.md').waitFor()
  expect(await row(page, 'notes/two.md').getAttribute('data-opened')).toBe('true')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await axeProblems(page)).toEqual([])
  }
  await page.keyboard.press('j')
  await headline(page, 'notes/three.md').waitFor()
  await page.keyboard.press('k')
  await headline(page, 'notes/two.md').waitFor()
  await page.keyboard.press('u')
  await page.getByRole('heading', { level: 1, name: 'platform' }).waitFor()
  expect(await focusedRow(page)).toContain('notes/two.md')
  expect(dashboard.complaints).toEqual([])
})

test('the texts of rows stand in columns, with a deadline or without, and a phone shows them whole', async () => {
  const page = await dashboard.open('Grace', '/runs', { viewport: desktop })
  await page.route('**/v1/requests?*', async (route) => {
    const response = await route.fetch()
    const list: { items: { expiresAt: string }[] } = await response.json()
    const [first, second] = list.items
    if (first !== undefined) first.expiresAt = new Date(Date.now() + 44.5 * 60_000).toISOString()
    if (second !== undefined) second.expiresAt = new Date(Date.now() + 23.5 * hourMs).toISOString()
    await route.fulfill({ response, json: list })
  })
  await page.getByRole('link', { name: /^Inbox/ }).click()
  const deadline = page.locator('.request-times .soon')
  await deadline.waitFor()
  expect(await deadline.innerText()).toBe('44 min left')
  // A request that expires within a day is above those with more time, and shows the time left.
  await page.locator('.request-times').nth(1).getByText('23 h left').waitFor()
  // The age beside the deadline is worded as an age.
  expect(await page.locator('.request-times').nth(1).innerText()).toMatch(/just now|\d min ago/)
  const right = (elements: Element[]) =>
    elements.map((element) => Math.round(element.getBoundingClientRect().right))
  const numbers = await page.locator('.row-number').evaluateAll(right)
  expect(numbers.length).toBe(4)
  expect(new Set(numbers).size).toBe(1)
  // The effect has the same height in each row, with further facts or without.
  const below = await page.locator('.request-link').evaluateAll((links) =>
    links.map((link) => {
      const row = link.closest('.request-row')
      return (row?.getBoundingClientRect().bottom ?? 0) - link.getBoundingClientRect().bottom
    }),
  )
  expect(Math.max(...below) - Math.min(...below)).toBeLessThan(1)
  await page.setViewportSize({ width: 390, height: 844 })
  const [text, box] = [await deadline.innerText(), await deadline.boundingBox()]
  expect([text, (box?.height ?? 99) < 24]).toEqual(['44 min left', true])
})

test('every filter of the list beside a request is named, and a press clears it and keeps the focus', async () => {
  const filters = 'risk=medium&q=notes&tool=write_file'
  const page = await dashboard.open('Grace', `/requests/4?${filters}`, { viewport: desktop })
  await row(page, 'notes/alone.md').waitFor()
  const list = page.getByRole('combobox', { name: 'List' })
  const words = await list.locator('option:checked').innerText()
  expect(words).toBe('All that wait, filtered')
  const chips = page.getByRole('list', { name: 'Filters' }).getByRole('button')
  expect(await chips.allInnerTexts()).toEqual(['Medium risk', '“notes”', 'tool write_file'])
  await chips.nth(1).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/requests/4?risk=medium&tool=write_file')
  await expect.poll(() => chips.count()).toBe(2)
  const focused = page.locator(':focus')
  await expect.poll(() => focused.innerText()).toBe('tool write_file')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.waitForURL('**/requests/4')
  await expect.poll(() => chips.count()).toBe(0)
  await expect.poll(() => list.locator('option:checked').innerText()).toBe('All that wait (4)')
  await page.goto(`${dashboard.url}/?queue=platform&risk=medium&tool=write_file`)
  // On the page of the list, the risk is in its own control.
  await chips.first().waitFor()
  expect(await chips.allInnerTexts()).toEqual(['tool write_file'])
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.waitForURL('**/?queue=platform')
})

test('Esc closes the open request, also while rows are selected', async () => {
  const page = await dashboard.open('Grace', '/requests/1?queue=platform', { viewport: desktop })
  await headline(page, 'notes/one.md').waitFor()
  await row(page, 'notes/one.md').getByRole('checkbox').check()
  await page.keyboard.press('j')
  await headline(page, 'notes/two.md').waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL('**/?queue=platform', { timeout: 10_000 })
})

test('a screen below 1,100 pixels shows the list or the card', async () => {
  const viewport = { width: 1099, height: 800 }
  const page = await dashboard.open('Grace', '/?queue=platform', { viewport })
  await row(page, 'notes/one.md').getByRole('link', { name: 'notes/one.md' }).click()
  await headline(page, 'notes/one.md').waitFor()
  expect(await page.locator('.request-row').count()).toBe(0)
  await page.reload()
  await headline(page, 'notes/one.md').waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL('**/?queue=platform')
})

test('calls of one turn stand together below a line that opens their change set', async () => {
  const page = await dashboard.open('Grace', '/', { viewport: desktop })
  await page.getByRole('link', { name: /^3 calls of one turn/ }).click()
  await page.waitForURL(`**/runs/${runId}/turns/1`)
})

test('H in the list puts the focused request off, C claims it, Y copies its link and M leads to its comments', async () => {
  const page = await dashboard.open('Grace', '/?mine=true', { viewport: desktop })
  await row(page, 'notes/alone.md').getByRole('link', { name: 'notes/alone.md' }).focus()
  await page.keyboard.press('c')
  await row(page, 'notes/alone.md').getByText('you are on it').waitFor()
  await page.keyboard.press('y')
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await expect.poll(copied).toMatch(/\/requests\/4\?mine=true$/)
  await page.keyboard.press('h')
  await page.getByRole('menuitem', { name: '4 hours' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  expect(await focusedRow(page)).toContain('notes/alone.md')
  await page.keyboard.press('m')
  await headline(page, 'notes/alone.md').waitFor()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
    .toBe('Comment')
  await page.getByRole('link', { name: 'Inbox', exact: true }).last().click()
  await page.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor()
  expect(await focusedRow(page)).toContain('notes/alone.md')
  await page.keyboard.press('h')
  await page.getByRole('menuitem', { name: '4 hours' }).waitFor()
  await page.keyboard.press('2')
  await row(page, 'notes/alone.md').waitFor({ state: 'detached' })
  const { db } = dashboard.desk.database
  expect(await db.selectFrom('request_snooze').select('person_id').execute()).toHaveLength(1)
  // The first steps belong to the list of all, and not to a part of it.
  const steps = page.getByRole('region', { name: 'The first five minutes' })
  const queues = page.getByRole('navigation', { name: 'Queues' })
  await queues.getByRole('link', { name: 'All that wait' }).click()
  await steps.waitFor()
  for (const part of ['Waiting for you', 'platform', 'Snoozed by you']) {
    await queues.getByRole('link', { name: part }).click()
    await page.getByRole('heading', { level: 1, name: part }).waitFor()
    await page.locator('.request-row').first().waitFor()
    expect(await steps.count(), part).toBe(0)
  }
  await row(page, 'notes/alone.md').getByText('snoozed until').waitFor()
  // It comes back by itself when the snooze ends, though no event says so. The page must have
  // loaded before that.
  await queues.getByRole('link', { name: 'Waiting for you' }).click()
  await page.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor()
  await sql`update request_snooze set until = clock_timestamp() + interval '15 seconds'`.execute(db)
  await page.reload()
  await page.getByRole('button', { name: '1 new' }).click()
  await row(page, 'notes/alone.md').waitFor()
})

test('a row with a warning has its age too, beside an open request', async () => {
  const secret = ['AKIA', 'IOSFODNN7', 'EXAMPLE'].join('')
  const keyed = { path: 'notes/keyed.md', content: `key ${secret}\n` }
  await ask(dashboard.desk, [{ tool: 'write_file', input: keyed }], 'A key.')
  const page = await dashboard.open('Grace', '/requests/4', { viewport: desktop })
  const warned = row(page, 'notes/keyed.md')
  for (const width of [1440, 1280, 1100]) {
    await page.setViewportSize({ width, height: 900 })
    await warned.getByText('Adds a secret').waitFor()
    await warned.getByText(/^just now$|\d min ago$/).waitFor()
    const cue = warned.locator('.cue-short')
    const isCut = (it: Element): boolean => it.scrollWidth > it.clientWidth
    expect(await cue.evaluate(isCut), `${width} px`).toBe(false)
  }
})
