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

test('on a phone several are denied at once, after a list of them, with targets for a thumb', async () => {
  const paths = ['notes/thumb-1.md', 'notes/thumb-2.md']
  const calls = paths.map((path) => ({ tool: 'write_file', input: { path, content: 'Text\n' } }))
  const { requestIds } = await ask(dashboard.desk, calls, 'Two notes.')
  const page = await dashboard.open('Grace', '/?q=thumb&sort=age', { viewport: phone })
  for (const path of paths) {
    await page.locator('.request-row', { hasText: path }).getByRole('checkbox').check()
  }
  await page.getByRole('button', { name: 'Deny 2…' }).click()
  const sheet = page.getByRole('dialog')
  for (const path of paths) await sheet.getByText(path).waitFor()
  await sheet.getByLabel('Reason').fill('not on a Friday')
  for (const button of await sheet.locator('button:visible').all()) {
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  }
  await sheet.getByRole('button', { name: 'Deny 2', exact: true }).click()
  await sheet.getByText('What came of each').waitFor()
  expect(await sheet.getByText('recorded', { exact: true }).count()).toBe(2)
  const { db } = dashboard.desk.database
  const rows = await db
    .selectFrom('request')
    .select('state')
    .where('id', 'in', requestIds)
    .execute()
  expect(rows.map(({ state }) => state)).toEqual(['denied', 'denied'])
})
