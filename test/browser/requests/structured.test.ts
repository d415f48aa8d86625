import { expect, test } from 'vitest'
import { openExternal } from '#services/external/open-external.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addKey } from '../../harness/fixtures/people.ts'
import { openDashboard, phone } from '../open-dashboard.ts'

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

async function askForRefund(input = refund): Promise<string> {
  const { desk } = dashboard
  const { caller } = await addKey(desk.database.db, desk.people.ada)
  const externalId = `refund-${++count}`
  const opened = await openExternal(desk.api, caller, { tool: 'create_refund', input, externalId })
  return opened.requestId
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
    expect(await cellOf('Amount').first().innerText()).toMatch(/^129\.90 EUR\s*12990$/)
    expect(await cellOf('Due').innerText()).toMatch(/^1 Mar 2026\s*"2026-03-01"$/)
    expect(await cellOf('2 of 2').count()).toBe(1)
    const note = cellOf('Note')
    expect(await note.locator('.code-line').count()).toBe(3)
    expect(await note.innerText()).toContain('U+202E')
    expect(await table.locator('a, img, script, b').count()).toBe(0)
    expect(await page.getByText('14 fields, ').count()).toBe(1)
    const [inner, outer] = await table.evaluate(({ scrollWidth, clientWidth }) => [
      scrollWidth,
      clientWidth,
    ])
    expect(inner).toBeLessThanOrEqual(outer + 2)
    await page.getByRole('button', { name: 'Show every byte' }).click()
    await page.getByText('"amount_cents":12990').waitFor()
  }
})

test('a cue about money leads to the field that causes it', async () => {
  const page = await dashboard.open('Grace', `/requests/${await askForRefund()}`)
  await page.getByRole('link', { name: 'show the field' }).first().click()
  await page.waitForFunction(() => document.activeElement?.matches('tr[data-field-line]'))
})
