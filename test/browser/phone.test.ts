import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, openDashboard, phone, type Dashboard } from './open-dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await openDashboard()
})
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]()
})

test('on a phone a request is decided in a sheet from the bottom, with targets for a thumb', async () => {
  const input = { path: 'notes/phone.md', content: 'Text\n' }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A note.')
  const page = await dashboard.open('Grace', '/', { viewport: phone })
  await page.getByRole('link', { name: 'notes/phone.md' }).click()
  await page.getByRole('button', { name: 'Decide…' }).click()
  const sheet = page.getByRole('dialog', { name: 'Your decision' })
  await sheet.waitFor()
  for (const radio of await sheet.getByRole('radio').all())
    expect(await radio.isChecked()).toBe(false)
  await sheet.getByText('Approve as shown').click()
  for (const target of await sheet.locator('.choice, button:visible').all()) {
    const box = await target.boundingBox()
    const isHash = (await target.getAttribute('class'))?.includes('hash')
    if (!isHash) expect(box?.height).toBeGreaterThanOrEqual(44)
  }
  await sheet.getByRole('button', { name: 'Submit', exact: true }).click()
  await sheet.getByText('Approved by you').waitFor()
  const { db } = dashboard.desk.database
  const row = await db
    .selectFrom('request')
    .select('state')
    .where('id', '=', requestIds[0]!)
    .executeTakeFirstOrThrow()
  expect(row.state).toBe('approved')
})

test('what was chosen and typed in the sheet is there again after it was put away', async () => {
  const input = { path: 'notes/put-away.md', content: 'Text\n' }
  const { requestIds } = await ask(dashboard.desk, [{ tool: 'write_file', input }], 'A note.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`, { viewport: phone })
  await page.getByRole('button', { name: 'Decide…' }).click()
  const sheet = page.getByRole('dialog', { name: 'Your decision' })
  await sheet.getByText('Deny', { exact: true }).click()
  await sheet.getByLabel('Reason').fill('not on a Friday')
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Decide…' }).click()
  expect(await sheet.getByLabel('Reason').inputValue()).toBe('not on a Friday')
  expect(await sheet.getByRole('radio', { name: 'Deny', exact: true }).isChecked()).toBe(true)
})
