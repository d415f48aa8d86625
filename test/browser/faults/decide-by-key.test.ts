import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { getRequest } from '#services/requests/detail/get-request.ts'
import { reviseRequest } from '#services/revising/revise-request.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { deskConfig } from '../../harness/fixtures/agent-desk.ts'
import { statesOf } from '../../harness/fixtures/rows.ts'
import { hidePage } from '../../harness/browser.ts'
import { ask, developmentToken, openDashboard, type OpenOptions } from '../open-dashboard.ts'
import { axeProblems } from '../../harness/programs/axe.ts'

const dashboard = disposeAfterTests(await openDashboard())
const { db } = dashboard.desk.database
await dashboard.desk.activate({
  'countersign.yaml': `${deskConfig}routing:
  - { when: { path: 'notes/high*' }, risk: high }
`,
})

let file = 0
/** Requests of one turn, so that they follow one another in the list. */
async function askForNotes(count: number) {
  const names = Array.from({ length: count }, () => `notes/key-${++file}.md`)
  const calls = names.map((path) => ({ tool: 'write_file', input: { path, content: 'x\n' } }))
  const { requestIds } = await ask(dashboard.desk, calls, 'Notes.')
  return { names, ids: requestIds }
}

const headline = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const bars = (page: Page) => page.getByRole('region', { name: 'Decisions being sent' })

/** Opens the first request of the list, in its present order. */
async function openFirst(names: readonly string[], options: OpenOptions = {}): Promise<Page> {
  const page = await dashboard.open('Grace', '/', options)
  await page.getByRole('link', { name: names[0]! }).click()
  await headline(page, names[0]!).waitFor()
  await page.getByRole('radio', { name: 'Approve as shown' }).waitFor()
  return page
}

test('the same key twice decides, opens the next request with the focus on its headline, and nothing is recorded before it is sent', async () => {
  const { names, ids } = await askForNotes(3)
  const page = await openFirst(names)
  await page.keyboard.press('a')
  expect(await page.getByRole('radio', { name: 'Approve as shown' }).isChecked()).toBe(true)
  await page.keyboard.press('a')
  await headline(page, names[1]!).waitFor()
  await bars(page)
    .getByText(/Sending in \d s. Not recorded yet./)
    .waitFor()
  expect(await headline(page, names[1]!).evaluate((h1) => h1 === document.activeElement)).toBe(true)
  expect(await statesOf(db, ids)).toEqual(['pending', 'pending', 'pending'])
  await page.getByRole('radio', { name: 'Deny', exact: true }).waitFor()
  await page.keyboard.press('d')
  await page.keyboard.press('d')
  await headline(page, names[2]!).waitFor()
  // The newest bar is on top, and Z takes it back; the other decision is sent when its time is
  // over.
  expect(await bars(page).getByRole('button', { name: 'Take back' }).count()).toBe(2)
  await page.keyboard.press('z')
  await bars(page).getByText('Deny').waitFor({ state: 'detached' })
  await bars(page).getByText('Recorded.').waitFor()
  const said = page.getByRole('status').filter({ hasText: /^Approve #\d+: Recorded\./ })
  await expect.poll(() => said.count()).toBe(1)
  expect(await statesOf(db, ids)).toEqual(['approved', 'pending', 'pending'])
})

test('a decision without an answer is said to be lost when its page is loaded again, and sending it again keeps the focus', async () => {
  const { names, ids } = await askForNotes(2)
  const page = await openFirst(names)
  await page.route('**/decisions', (route) => route.abort())
  await page.keyboard.press('a')
  await page.keyboard.press('a')
  const again = bars(page).getByRole('button', { name: 'Send again' })
  await again.focus()
  await page.keyboard.press('Enter')
  await bars(page).getByText('The service did not answer.').waitFor()
  expect(await headline(page, names[1]!).evaluate((h1) => h1 === document.activeElement)).toBe(true)
  await again.waitFor()
  await page.reload()
  await page.getByRole('alert').getByText('These decisions may not be recorded').waitFor()
  expect(await statesOf(db, ids)).toEqual(['pending', 'pending'])
})

test('a decision that is under way when its page is loaded again is said to be recorded, or that it may not be', async () => {
  const { names, ids } = await askForNotes(3)
  const page = await openFirst(names)
  await page.keyboard.press('a')
  await page.keyboard.press('a')
  await headline(page, names[1]!).waitFor()
  await page.reload()
  await page
    .getByRole('alert')
    .getByText(/^Recorded before this page was loaded: .* #\d+\.$/)
    .waitFor()
  expect(await statesOf(db, ids)).toEqual(['approved', 'pending', 'pending'])
  await page.getByRole('radio', { name: 'Deny', exact: true }).waitFor()
  // The call is neither answered nor refused.
  await page.route('**/decisions', () => undefined)
  const sent = page.waitForRequest('**/decisions')
  await page.keyboard.press('d')
  await page.keyboard.press('d')
  await sent
  await page.reload()
  await page
    .getByRole('alert')
    .getByText(/^These decisions may not be recorded: #\d+\./)
    .waitFor()
  expect(await statesOf(db, ids)).toEqual(['approved', 'pending', 'pending'])
})

test('the bar of a held decision is accessible', async () => {
  const { names } = await askForNotes(2)
  const page = await openFirst(names)
  await page.keyboard.press('a')
  await page.keyboard.press('a')
  await bars(page).getByRole('button', { name: 'Take back' }).waitFor()
  // In a test of its own: an analysis may take longer than a decision is held.
  expect(await axeProblems(page)).toEqual([])
})

/**
 * Denies two of three requests by key, takes the second denial back, and leaves before the first
 * one is sent. `prepare` is called once the page is open.
 */
async function denyAndLeave(
  leave: (page: Page) => Promise<unknown>,
  options: OpenOptions & { prepare?: (page: Page) => void } = {},
): Promise<void> {
  const { names, ids } = await askForNotes(3)
  const { prepare, ...opening } = options
  const page = await openFirst(names, opening)
  prepare?.(page)
  for (const next of names.slice(1)) {
    await page.getByRole('radio', { name: 'Deny', exact: true }).waitFor()
    await page.keyboard.press('d')
    await page.keyboard.press('d')
    await headline(page, next).waitFor()
  }
  await page.keyboard.press('z')
  await expect.poll(() => bars(page).getByRole('button', { name: 'Take back' }).count()).toBe(1)
  await leave(page)
  await expect.poll(() => statesOf(db, ids)).toEqual(['denied', 'pending', 'pending'])
}

test('leaving the page sends what waits, once, and nothing that was taken back', async () => {
  await denyAndLeave((page) => page.goto('about:blank'))
})

test('a page that is hidden, as by a locked phone, sends what waits, and sends nothing again when it is left', async () => {
  const sent: string[] = []
  // A slow machine may send the decision before the page is hidden.
  const prepare = (page: Page): void => {
    page.on('request', (request) => {
      if (request.url().endsWith('/decisions')) sent.push(request.method())
    })
  }
  const hideAndLeave = async (page: Page): Promise<void> => {
    await hidePage(page, true)
    await expect.poll(() => sent).toEqual(['POST'])
    await hidePage(page, false)
    await page.goto('about:blank')
  }
  await denyAndLeave(hideAndLeave, { isHideable: true, prepare })
  expect(sent).toEqual(['POST'])
})

test('a page that is too busy to notice that it is left loses no decision', async () => {
  await denyAndLeave(async (page) => {
    await page.evaluate(() => {
      setTimeout(() => {
        const end = performance.now() + 4_000
        while (performance.now() < end);
      }, 0)
    })
    await page.goto('about:blank')
  })
})

test('a page that crashes loses no decision', async () => {
  await denyAndLeave((page) => page.goto('chrome://crash').catch(() => undefined))
})

test('signing out withdraws held decisions, and says which', async () => {
  const { names, ids } = await askForNotes(2)
  const page = await openFirst(names)
  await page.keyboard.press('a')
  await page.keyboard.press('a')
  await headline(page, names[1]!).waitFor()
  await page.getByRole('button', { name: 'Signed in as Grace' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: /sign in/i }).waitFor()
  await page.getByRole('alert').getByText('These decisions may not be recorded').waitFor()
  expect(await statesOf(db, ids)).toEqual(['pending', 'pending'])
})

// Rules: product.md 17
test('a decision whose session ended before it was sent is said not to be recorded, is sent by its own person only, and is gone for the next', async () => {
  const { names, ids } = await askForNotes(3)
  const page = await openFirst(names)
  const signInAs = async (name: string): Promise<void> => {
    await page.getByLabel('Person').selectOption(`${name.toLowerCase()}@example.com`)
    await page.getByLabel('Development token').fill(developmentToken)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: `Signed in as ${name}` }).waitFor()
  }
  for (const next of names.slice(1)) {
    await page.getByRole('radio', { name: 'Approve as shown' }).waitFor()
    await page.keyboard.press('a')
    await page.keyboard.press('a')
    await headline(page, next).waitFor()
  }
  const words = 'Your session had ended. Your approval was not recorded.'
  const lost = page.getByRole('alert').filter({ hasText: words })
  await page.context().clearCookies()
  await expect.poll(() => lost.count()).toBe(2)
  await lost.filter({ hasText: 'as at a provider, loses it.' }).first().waitFor()
  await signInAs('Grace')
  await bars(page).getByRole('button', { name: 'Send again' }).first().click()
  await bars(page).getByText('Recorded.').waitFor()
  await page.context().clearCookies()
  // Another call may have told the page already that the session has ended.
  const again = bars(page).getByRole('button', { name: 'Send again' })
  await again.click({ timeout: 3000 }).catch(() => undefined)
  await lost.waitFor()
  await signInAs('Linus')
  await headline(page, names[2]!).waitFor()
  expect(await bars(page).getByText('Approve').count()).toBe(0)
  await page.getByRole('alert').getByText('These decisions may not be recorded').waitFor()
  expect(await statesOf(db, ids)).toEqual(['pending', 'approved', 'pending'])
})

test('one key held down, another key between, or one that was typed, decides nothing', async () => {
  const { names, ids } = await askForNotes(1)
  const page = await openFirst(names)
  await page.keyboard.down('a')
  await page.keyboard.down('a')
  await page.keyboard.up('a')
  await page.keyboard.press('d')
  await page.keyboard.press('a')
  await page.getByLabel('Reason').focus()
  await page.keyboard.type('aaddz')
  expect(await bars(page).count()).toBe(0)
  expect(await page.getByLabel('Reason').inputValue()).toBe('aaddz')
  expect(await statesOf(db, ids)).toEqual(['pending'])
})

test('after a colleague changed the call, and after a decision was taken back, the first press of a key decides nothing again', async () => {
  const { desk } = dashboard
  const waiting = await db
    .selectFrom('request')
    .select('id')
    .where('state', '=', 'pending')
    .execute()
  for (const { id } of waiting) await desk.decide(desk.people.linus, id)
  const { names, ids } = await askForNotes(1)
  const page = await openFirst(names)
  await page.keyboard.press('a')
  const { linus } = desk.people
  const { digest } = await getRequest(desk.api, linus.caller, { request: ids[0]! })
  const input = { path: names[0]!, content: 'y\n' }
  await reviseRequest(desk.api, linus.caller, { request: ids[0]!, input, digest, revision: 1 })
  await page.getByRole('button', { name: 'Show the new revision' }).click()
  const approve = page.getByRole('radio', { name: 'Approve as shown' })
  await expect.poll(() => approve.isChecked()).toBe(true)
  await page.keyboard.press('a')
  expect(await bars(page).count()).toBe(0)
  await page.keyboard.press('a')
  await bars(page).waitFor()
  await page.keyboard.press('z')
  await bars(page).waitFor({ state: 'detached' })
  // No other request waits, so the list is shown again.
  await page.waitForURL(`${dashboard.url}/`)
  await page.getByRole('link', { name: names[0]! }).click()
  await approve.waitFor()
  await page.keyboard.press('a')
  expect(await bars(page).count()).toBe(0)
  expect(await statesOf(db, ids)).toEqual(['pending'])
})

test('a digit after D puts a common reason into the denial, and the next D submits it', async () => {
  const { names, ids } = await askForNotes(2)
  const page = await openFirst(names)
  for (const key of ['2', 'd', '1']) await page.keyboard.press(key)
  expect(await page.getByLabel('Reason').inputValue()).toBe('wrong file')
  await page.keyboard.press('d')
  await headline(page, names[1]!).waitFor()
  await bars(page).getByText('Recorded.').waitFor()
  const { api, people } = dashboard.desk
  const { decisions } = await getRequest(api, people.grace.caller, { request: ids[0]! })
  expect(decisions).toMatchObject([{ decision: 'deny', reason: 'wrong file' }])
  await page.getByRole('radio', { name: 'Deny', exact: true }).waitFor()
  for (const key of ['d', '4']) await page.keyboard.press(key)
  await page.keyboard.type('in 2 parts')
  expect(await page.getByLabel('Reason').inputValue()).toBe('do it differently: in 2 parts')
})

test('at high risk the repeated key leads to the unseen part, then to the reason without typing into it; neither it nor Enter submits', async () => {
  const content = Array.from({ length: 90 }, (_, line) => `line ${line}\n`).join('')
  const call = { tool: 'write_file', input: { path: 'notes/high.md', content } }
  const { requestIds } = await ask(dashboard.desk, [call], 'A note.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  await page.getByRole('radio', { name: 'Deny', exact: true }).waitFor()
  const reason = page.getByLabel('Reason')
  const isInReason = () => reason.evaluate((it) => it === document.activeElement)
  await page.keyboard.press('a')
  const note = page.getByRole('group', { name: 'What has not been on the screen' })
  await note.waitFor({ state: 'attached' })
  const unseen = async () => (await note.allTextContents()).join('')
  for (let share = await unseen(); share !== ''; share = await unseen()) {
    await page.keyboard.press('a')
    await expect.poll(unseen).not.toBe(share)
  }
  expect(await isInReason()).toBe(false)
  await page.keyboard.press('a')
  expect(await isInReason()).toBe(true)
  for (const key of ['a', 'a']) await page.keyboard.press(key)
  await page.keyboard.type('read')
  const approve = page.getByRole('radio', { name: 'Approve as shown' })
  await approve.focus()
  for (const key of ['a', 'a', 'a']) await page.keyboard.press(key)
  await page.getByRole('status').filter({ hasText: 'Submit this with Ctrl Enter' }).waitFor()
  await page.keyboard.type(' and decided')
  await page.keyboard.press('Enter')
  expect(await reason.inputValue()).toBe('read and decided\n')
  expect(await approve.isChecked()).toBe(true)
  expect(await bars(page).count()).toBe(0)
  expect(await statesOf(db, requestIds)).toEqual(['pending'])
})
