import { expect, test } from 'vitest'
import { ask, openDashboard, phone, tellTemporal } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { statesOf } from '../../harness/fixtures/rows.ts'

const dashboard = disposeAfterTests(await openDashboard())

let file = 0

async function askForNotes(many: number) {
  const calls = Array.from({ length: many }, () => {
    file += 1
    return { tool: 'write_file', input: { path: `notes/after-${file}.md`, content: 'Text\n' } }
  })
  return ask(dashboard.desk, calls, 'Notes.')
}
const submit = { name: 'Submit', exact: true } as const

test('the page says what a decision waits for: Temporal, then a worker, then that the run goes on', async () => {
  const { runId, requestIds, callIds } = await askForNotes(1)
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.keyboard.press('Control+Enter')
  await page
    .getByText('Recorded. The run gets the decision as soon as Temporal can be reached.')
    .waitFor()
  // The form has gone, and the focus is where it was.
  const panel = page.getByRole('complementary', { name: 'Decision' })
  await expect.poll(() => panel.evaluate((it) => it.contains(document.activeElement))).toBe(true)
  await tellTemporal(dashboard.desk, runId)
  await page.getByText('The run has the decision, and goes on as soon as it can.').waitFor()
  await page.getByText('Recorded. It will go on when a Temporal worker is back.').waitFor()
  await dashboard.desk.execute(callIds[0]!)
  await page.getByText('Recorded. The run goes on.').waitFor()
  await page.getByText('Carried out.').waitFor()
  await page.getByRole('heading', { name: 'What was requested' }).waitFor()
  const decisions = dashboard.desk.database.db.selectFrom('decision').selectAll()
  expect(await decisions.where('request_id', '=', requestIds[0]!).execute()).toHaveLength(1)
})

test('an approved call behind an undecided one of its turn is said to wait for that, not for a worker', async () => {
  const { runId, requestIds } = await askForNotes(2)
  const page = await dashboard.open('Grace', `/requests/${requestIds[1]}`)
  await page.clock.install()
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.getByRole('button', submit).click()
  await page.getByText('Approved by you').waitFor()
  await tellTemporal(dashboard.desk, runId)
  await page.clock.runFor(3_000)
  const waits = page.getByText(
    'It is carried out after an earlier call of its turn, which still waits for a decision.',
  )
  await waits.waitFor()
  await page.clock.runFor(30_000)
  expect(await waits.count()).toBe(1)
})

test('a person who denies with stop is not told that the run continues', async () => {
  const { runId, requestIds } = await askForNotes(1)
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  await page.getByRole('radio', { name: 'Deny and stop' }).check()
  await page.getByRole('button', submit).click()
  await page.getByText('Denied by you').waitFor()
  await tellTemporal(dashboard.desk, runId)
  await page.getByText('Recorded. The run waits for a message.').waitFor()
})

test('the next request of the list opens after a decision, with the focus on its headline, and the recorded decision is read out', async () => {
  const { requestIds } = await askForNotes(2)
  const paths = [`notes/after-${file - 1}.md`, `notes/after-${file}.md`]
  const page = await dashboard.open('Grace', '/')
  await page.getByRole('link', { name: paths[0]! }).click()
  await page.getByRole('heading', { level: 1, name: paths[0]! }).waitFor()
  await page.keyboard.press('d')
  await page.keyboard.press('Space')
  await page.keyboard.press('Control+Shift+Enter')
  const next = page.getByRole('heading', { level: 1, name: paths[1]! })
  await next.waitFor()
  expect(await next.evaluate((heading) => heading === document.activeElement)).toBe(true)
  await page.getByRole('status').filter({ hasText: 'Recorded.' }).waitFor()
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(0)
  expect(await statesOf(dashboard.desk.database.db, requestIds)).toEqual(['denied', 'pending'])
})

test.each([
  ['on a phone', phone, ''],
  ['beside the open request', { width: 1280, height: 900 }, 'other'],
  ['in a list of its own', { width: 1280, height: 900 }, ''],
])('a decided row %s says what came of it and keeps task and worker', async (_, viewport, open) => {
  const { desk } = dashboard
  const { requestIds, callIds } = await askForNotes(1)
  const path = `notes/after-${file}.md`
  const other = await askForNotes(1)
  await desk.decide(desk.people.linus, requestIds[0]!)
  await desk.execute(callIds[0]!)
  const at = open === '' ? '/' : `/requests/${other.requestIds[0]}`
  const page = await dashboard.open('Grace', `${at}?state=approved`, { viewport })
  const row = page.locator('.request-row', { hasText: path })
  await row.getByText('Approved by Linus, carried out').waitFor()
  const meta = await row.locator('.request-meta').boundingBox()
  const { y: top, height } = (meta ?? (await row.boundingBox()))!
  for (const fact of ['.row-task', '.row-worker']) {
    const box = await row.locator(fact).boundingBox()
    expect(box?.width, fact).toBeGreaterThan(30)
    expect(box?.y, fact).toBeGreaterThanOrEqual(top - 1)
    expect((box?.y ?? 0) + (box?.height ?? 0), fact).toBeLessThanOrEqual(top + height + 1)
  }
  if (open !== '' || viewport.width < 1280) return
  // The facts stand in columns, however long the outcomes beside them are.
  const ends = await page
    .locator('.row-number')
    .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().right)))
  expect(ends.length).toBeGreaterThan(1)
  expect(new Set(ends).size).toBe(1)
})

test('the keys of the list lead past a request that does not load', async () => {
  await askForNotes(3)
  const page = await dashboard.open('Grace', '/?q=notes&sort=createdAt', {
    viewport: { width: 1000, height: 900 },
  })
  const rows = page.locator('.request-row')
  await rows.first().waitFor()
  const numbers = await rows
    .locator('.row-number')
    .evaluateAll((all) => all.map((one) => one.textContent.slice(1)))
  await page.route(`**/v1/requests/${numbers[1]}`, () => new Promise(() => {}))
  await rows.first().getByRole('link').first().click()
  await page.waitForURL(`**/requests/${numbers[0]}?*`)
  await page.getByRole('radio', { name: 'Deny', exact: true }).waitFor()
  await page.keyboard.press('j')
  await page.waitForURL(`**/requests/${numbers[1]}?*`)
  await page.locator('main [aria-busy=true]').first().waitFor()
  await page.keyboard.press('j')
  await page.waitForURL(`**/requests/${numbers[2]}?*`)
})

test.each([
  ['after deciding', false],
  ['of an approval that waits for its call', true],
])('the sheet and the bar on a phone, %s, lead to what came of it', async (_, isApproved) => {
  const { desk } = dashboard
  const { requestIds } = await askForNotes(1)
  if (isApproved) await desk.decide(desk.people.linus, requestIds[0]!)
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`, { viewport: phone })
  await page.getByRole('button', { name: isApproved ? 'See the decision' : 'Decide…' }).click()
  const sheet = page.getByRole('dialog', { name: 'Your decision' })
  if (!isApproved) {
    await sheet.getByRole('radio', { name: 'Approve as shown' }).check()
    await sheet.getByRole('button', submit).click()
    await sheet.getByText('Approved by you').waitFor()
  }
  const outcome = page.getByRole('region', { name: /^Approved by / })
  const isReached = async () => {
    const title = outcome.getByRole('heading')
    await expect.poll(() => title.evaluate((it) => it === document.activeElement)).toBe(true)
    const { y } = (await title.boundingBox())!
    expect(y).toBeGreaterThan(0)
    expect(y).toBeLessThan(phone.height)
  }
  await sheet.getByRole('button', { name: 'See what came of it' }).click()
  await sheet.waitFor({ state: 'hidden' })
  await isReached()
  await outcome.getByRole('button', { name: 'Revoke the approval…' }).waitFor()
  await page.evaluate(() => window.scrollTo({ top: 0 }))
  const bar = page.locator('.decide-bar').getByRole('button')
  expect(await bar.allInnerTexts()).toEqual(['See the decision', 'See what came of it'])
  await page.screenshot({ path: 'test-results/outcome-in-bar.png' })
  await bar.last().click()
  await isReached()
})

test('a decision without an answer is not in doubt any more once the request has the vote', async () => {
  const { desk } = dashboard
  const { requestIds } = await askForNotes(1)
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  await page.route('**/decisions', (route) => route.abort())
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  await page.getByRole('button', submit).click()
  const doubt = page.getByText('The service did not answer')
  await doubt.waitFor()
  await desk.decide(desk.people.grace, requestIds[0]!, { decision: 'deny' })
  await doubt.waitFor({ state: 'detached' })
  await page.getByText('Denied by Grace').first().waitFor()
})

test('a decision says what its answer says if the script for its sentence does not load', async () => {
  const { requestIds } = await askForNotes(1)
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  await page.route('**/assets/recorded-sentence-*.js', (route) => route.abort())
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  await page.getByRole('button', submit).click()
  await page.getByText('Recorded. It is denied.').waitFor()
})

test('a request that has ended says once how', async () => {
  const { desk } = dashboard
  const { requestIds } = await askForNotes(1)
  await desk.decide(desk.people.linus, requestIds[0]!, { decision: 'deny', reason: 'no' })
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  const panel = page.getByRole('complementary', { name: 'Decision' })
  await panel.getByText('It can no longer be decided').waitFor()
  await panel.getByText('It was denied at').waitFor()
  await page.locator('.request-who').getByText('wanted this').waitFor()
  expect(await page.locator('main').getByText('Denied by Linus').count()).toBe(1)
})

test('the reason of a colleague’s denial stands beside the decision, and is not said to be what came of it', async () => {
  const { desk } = dashboard
  const { requestIds } = await askForNotes(1)
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  const panel = page.getByRole('complementary', { name: 'Decision' })
  await panel.getByRole('radio', { name: 'Deny', exact: true }).waitFor()
  await desk.decide(desk.people.linus, requestIds[0]!, { decision: 'deny', reason: 'too early' })
  await panel.getByText('Denied by Linus').waitFor()
  await panel.getByRole('region', { name: 'Why it was denied' }).getByText('too early').waitFor()
  expect(await panel.getByText('What came of it').count()).toBe(0)
})
