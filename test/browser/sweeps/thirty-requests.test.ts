import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openDashboard } from '../open-dashboard.ts'
import { askThirty } from './thirty-requests.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'

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

/** What the open card lists under "The same call": the other one of the two equal edits. */
async function sameCallOn(page: Page): Promise<readonly string[]> {
  const alike = page.locator('.inbox-card').getByRole('region', { name: 'Similar calls' })
  return alike.locator('h3:text-is("The same call") + ul > li').allInnerTexts()
}

const rowsToDecide = '.request-row:not([data-gone=true]):not([data-decided=true])'

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
  let toOpen = pressed.length
  const sameCalls = new Map<number, readonly string[]>()
  let turnKeys: number | null = null
  /** The turn of five files is read and decided as one change set; then the list is open again. */
  const decideTurn = async (): Promise<void> => {
    const opening = pressed.length
    await press('u')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.className))
      .toContain('request-link')
    await press('Tab')
    await press('Enter')
    await page.getByRole('heading', { level: 1, name: '5 of 5 to decide' }).waitFor()
    await page.locator('article [aria-busy="true"]').first().waitFor({ state: 'detached' })
    toOpen += pressed.length - opening
    const begun = pressed.length
    for (let file = 1; file <= 5; file += 1) {
      if (file > 1) await press('j')
      const unseen = page.getByText('It counts after all of it was on the screen')
      await press('a')
      await unseen.waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: 'Submit 5 decisions' }).waitFor()
    await press('Control+Enter')
    await page.getByText('5 recorded. Nothing left to decide here.').waitFor()
    turnKeys = pressed.length - begun
    const leaving = pressed.length
    await press('u')
    await expect.poll(() => page.locator(rowsToDecide).count()).toBe(30 - keysOf.size - 5)
    // The rows of decided requests stay, in grey, until the list is shown again.
    if (await page.getByRole('button', { name: /gone$/ }).isVisible()) await press('.')
    await press('j')
    await press('Enter')
    toOpen += pressed.length - leaving
  }
  const keysOf = new Map<number, { readonly risk: string; readonly keys: number }>()
  let before: number | null = null
  for (let index = 1; index <= 25; index += 1) {
    const opened: Awaited<ReturnType<typeof openRequest>> = await openRequest(page, before)
    const isOfTurn = await page.getByRole('link', { name: 'Decide the turn together' }).isVisible()
    if (isOfTurn) await decideTurn()
    const { number, risk } = isOfTurn ? await openRequest(page, opened.number) : opened
    const sameCall = await sameCallOn(page)
    if (sameCall.length > 0) sameCalls.set(number, sameCall)
    const begun = pressed.length
    const decision = index % 6 === 0 ? 'd' : 'a'
    await press(decision)
    if (risk === 'high') {
      // The key moves to what is missing: to the reason, once all of the effect was on the screen.
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
  expect(each).toHaveLength(25)
  expect(each.filter(({ risk }) => risk === 'high')).toHaveLength(1)
  for (const { risk, keys } of each) if (risk !== 'high') expect(keys).toBeLessThanOrEqual(2)
  // Five files in ten keys, the one that submits all of them included.
  expect(turnKeys).toBe(10)
  expect((await decided())['denied']).toHaveLength(4)
  // Each of the two equal edits says what became of the other one.
  const [first, second, ...others] = sameCalls.keys()
  expect(others).toEqual([])
  expect(sameCalls.get(first ?? 0)).toEqual([
    expect.stringMatching(new RegExp(`^#${second}\\b.* waits too, `, 's')),
  ])
  expect(sameCalls.get(second ?? 0)).toEqual([
    expect.stringMatching(
      new RegExp(
        `^#${first}\\b.* (waits too|not carried out yet, approved by Grace|denied by Grace), `,
        's',
      ),
    ),
  ])
  const totalMs = spentMs + 30 * readingMs
  expect(totalMs).toBeLessThan(6 * 60_000)
  process.stderr.write(
    `thirty requests: ${pressed.length} keys (${toOpen} to open the first and the turn), ` +
      `${Math.round(spentMs / 1_000)} s beside ${(30 * readingMs) / 1_000} s of reading\n`,
  )
  expect(dashboard.complaints).toEqual([])
})
