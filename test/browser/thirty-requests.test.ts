import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openDashboard } from './open-dashboard.ts'
import { askThirty } from './thirty-requests.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'

const desktop = { width: 1440, height: 900 }
/**
 * The time that a person needs to read one request. It is added to the result and not waited for.
 */
const readingMs = 5_000

const dashboard = disposeAfterTests(await openDashboard())
await askThirty(dashboard.desk)

const decided = async () => {
  const { db } = dashboard.desk.database
  const rows = await db.selectFrom('request').select('state').execute()
  return Object.groupBy(rows, ({ state }) => state)
}

/** What is open: its number and risk. The focus comes to where its reading begins. */
async function openRequest(page: Page, before: number | null) {
  const card = page.locator('.inbox-card')
  const headline = card.getByRole('heading', { level: 1 })
  const open = (): number => Number(/\/requests\/(\d+)/.exec(page.url())?.[1] ?? before)
  await expect.poll(open).not.toBe(before ?? 0)
  const number = open()
  await card.locator('.request-head').getByText(`#${number}`).waitFor()
  await card.getByRole('radio', { name: 'Approve as shown' }).waitFor()
  // An approval counts when all of it has been on the screen, and nothing is before it is drawn.
  await card.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
  const risk = await card.locator('.request-head .risk').innerText()
  await expect.poll(() => headline.evaluate((h1) => h1 === document.activeElement)).toBe(true)
  return { number, risk: risk.split(/\s/)[0]?.toLowerCase() ?? '' }
}

test('thirty mixed requests are decided by keyboard alone, with two keys each, in under six minutes of a reader', async () => {
  const page = await dashboard.open('Grace', '/', { viewport: desktop })
  await page.locator('.request-row').nth(29).waitFor()
  const pressed: string[] = []
  const press = async (key: string): Promise<void> => {
    pressed.push(key)
    await page.keyboard.press(key)
  }
  const startedMs = Date.now()
  await press('j')
  await press('Enter')
  const toOpen = pressed.length
  const keysOf = new Map<number, { readonly risk: string; readonly keys: number }>()
  let before: number | null = null
  for (let place = 1; place <= 30; place += 1) {
    const { number, risk }: Awaited<ReturnType<typeof openRequest>> = await openRequest(
      page,
      before,
    )
    const begun = pressed.length
    const decision = place % 6 === 0 ? 'd' : 'a'
    await press(decision)
    if (risk === 'high') {
      // Again: what it lacks, which is a reason once all of it was on the screen.
      const reason = page.getByLabel('Reason')
      const isInReason = () => reason.evaluate((field) => field === document.activeElement)
      for (let times = 0; times < 5 && !(await isInReason()); times += 1) await press(decision)
      for (const key of 'read it') await press(key)
      await press('Control+Shift+Enter')
    } else await press(decision)
    keysOf.set(number, { risk, keys: pressed.length - begun })
    before = number
  }
  // After the last one the list is shown again, with what still waits.
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await page
    .locator('.request-row')
    .getByText(/^Sending in \d s$/)
    .first()
    .waitFor()
  const spentMs = Date.now() - startedMs
  // Another page: what waits is sent at once.
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  const pending = async () => (await decided())['pending']?.length ?? 0
  await expect.poll(pending, { timeout: 60_000 }).toBe(0)

  const each = [...keysOf.values()]
  expect(each).toHaveLength(30)
  expect(each.filter(({ risk }) => risk === 'high')).toHaveLength(1)
  for (const { risk, keys } of each) if (risk !== 'high') expect(keys).toBeLessThanOrEqual(2)
  expect((await decided())['denied']).toHaveLength(5)
  const totalMs = spentMs + 30 * readingMs
  expect(totalMs).toBeLessThan(6 * 60_000)
  process.stderr.write(
    `thirty requests: ${pressed.length} keys (${toOpen} to open the first), ` +
      `${Math.round(spentMs / 1_000)} s beside ${(30 * readingMs) / 1_000} s of reading\n`,
  )
  expect(dashboard.complaints).toEqual([])
})
