import type { Locator, Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { openExternal } from '#services/external/open-external.ts'
import type { ExternalInput } from '#services/requests/facts/external-input.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addKey } from '../../harness/fixtures/people.ts'
import { statesOf } from '../../harness/fixtures/rows.ts'
import { writeCall } from '../../harness/fixtures/runs/file-calls.ts'
import { ask, openDashboard, phone } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())

const refund = {
  customer: { full_name: 'Ada <b>Lovelace</b>', email: 'ada@example.com' },
  amount_cents: 12990,
  currency: 'EUR',
  due: '2026-03-01',
  items: [
    { sku: 'A-1', price: 40 },
    { sku: 'B-2', price: 89.9 },
  ],
  note: 'Dear Ada,\nsafe\u202Etxt.exe\nAmount: 1',
}

let count = 0

async function askForRefund(more: Pick<ExternalInput, 'presentation'> = {}): Promise<string> {
  const { desk } = dashboard
  const { caller } = await addKey(desk.database.db, desk.people.ada)
  const externalId = `refund-${++count}`
  const call = { tool: 'create_refund', input: refund, externalId, ...more }
  return (await openExternal(desk.api, caller, call)).requestId
}

/** The answers about a call of the desk say that it is a refund: the desk has no tool for one. */
async function showAsRefund(page: Page): Promise<void> {
  const content = JSON.stringify(refund, null, 2)
  onTestFinished(() => page.unrouteAll({ behavior: 'ignoreErrors' }))
  await page.route(/\/v1\/(runs\/[^/]+\/turns\/1|requests\/[^/?]+)$/, async (route) => {
    const answer = await route.fetch()
    const json = JSON.stringify(await answer.json(), (name, value: unknown) =>
      name === 'presentation' && typeof value === 'object' && value !== null
        ? { ...value, type: 'structured', content, metadata: {} }
        : value,
    )
    await route.fulfill({ response: answer, body: json })
  })
}

/** Whether a part of the page is wider than its place. */
function isCutOff(part: Locator): Promise<boolean> {
  return part.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 2)
}

// Rules: product.md 26; security.md 17
test("a program's arguments are a table of labelled fields, as text, and every byte stays reachable", async () => {
  const id = await askForRefund()
  for (const viewport of [{ width: 1440, height: 900 }, phone]) {
    const page = await dashboard.open('Grace', `/requests/${id}`, { viewport })
    const table = page.getByRole('table', { name: 'Fields' })
    await table.waitFor()
    const cellOf = (label: string) =>
      table
        .locator('tr')
        .filter({ has: page.getByRole('rowheader', { name: label }) })
        .locator('td')
    expect(await cellOf('Full name').innerText()).toBe('Ada <b>Lovelace</b>')
    expect(await cellOf('Amount').first().innerText()).toMatch(/^129\.90 EUR\s+12990$/)
    expect(await cellOf('Due').innerText()).toMatch(/^1 Mar 2026\s+"2026-03-01"$/)
    expect(await cellOf('2 of 2').count()).toBe(1)
    const note = cellOf('Note')
    expect(await note.locator('.code-line').count()).toBe(3)
    expect(await note.innerText()).toContain('U+202E')
    expect(await table.locator('a, img, script, b').count()).toBe(0)
    expect(await page.getByText('14 fields, ').count()).toBe(1)
    expect(await isCutOff(table)).toBe(false)
    await page.getByRole('button', { name: 'Show every byte' }).click()
    await page.getByText('"amount_cents":12990').waitFor()
  }
})

test('a cue about money leads to the field that causes it', async () => {
  const page = await dashboard.open('Grace', `/requests/${await askForRefund()}`)
  await page.getByRole('link', { name: 'show the field' }).first().click()
  await page.waitForFunction(() => document.activeElement?.matches('tr[data-field-line]'))
})

// Rules: security.md 17
test('fields that a program claims are a table below its own words, as text, whatever white space it sent', async () => {
  const claim = { 'Refund of': 'order <b>7</b>', amount_cents: 500, currency: 'EUR' }
  const content = JSON.stringify(claim, null, 1)
  const id = await askForRefund({ presentation: { type: 'structured', content } })
  const page = await dashboard.open('Grace', `/requests/${id}`)
  const words = page.locator('.program-words')
  await words.getByText('Nobody has checked it.').waitFor()
  const table = words.getByRole('table', { name: 'Fields in its own words' })
  expect((await table.getByRole('row').allInnerTexts()).map((row) => row.split(/\s+/))).toEqual([
    ['"Refund', 'of"', 'order', '<b>7</b>'],
    ['Amount', 'amount_cents', '5.00', 'EUR', '500'],
    ['Currency', 'EUR'],
  ])
  expect(await page.getByRole('table', { name: 'Fields', exact: true }).count()).toBe(1)
})

test.each([{ width: 1440, height: 900 }, phone])(
  'labelled fields are read and approved in a change set, and read in the run, %j',
  async (viewport) => {
    const call = writeCall(`notes/refund-${viewport.width}.md`)
    const { requestIds, runId } = await ask(dashboard.desk, [call], 'A refund.')
    const page = await dashboard.open('Grace', '/', { viewport })
    await showAsRefund(page)
    await page.goto(`${dashboard.url}/runs/${runId}`)
    const table = page.getByRole('table', { name: 'Fields' })
    const amount = table.getByRole('row', { name: /^Amount amount_cents 129\.90 EUR 12990$/ })
    await amount.waitFor()
    expect(await isCutOff(table)).toBe(false)
    await page.goto(`${dashboard.url}/runs/${runId}/turns/1`)
    await amount.waitFor()
    expect(await isCutOff(table)).toBe(false)
    expect(await table.locator('b, script').count()).toBe(0)
    for (const row of await table.getByRole('row').all()) await row.scrollIntoViewIfNeeded()
    await page.getByRole('radio', { name: 'Approve as shown' }).check()
    await page.getByRole('button', { name: 'Submit 1 decision' }).click()
    const { db } = dashboard.desk.database
    await expect.poll(() => statesOf(db, requestIds)).toEqual(['approved'])
  },
)
