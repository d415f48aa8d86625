import { expect, test } from 'vitest'
import { ask, openDashboard, tellTemporal } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'

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
  await page.getByText('Recorded. The run goes on.').waitFor()
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

test('who denies and stops is not told that the run goes on', async () => {
  const { runId, requestIds } = await askForNotes(1)
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  await page.getByRole('radio', { name: 'Deny and stop' }).check()
  await page.getByRole('button', submit).click()
  await page.getByText('Denied by you').waitFor()
  await tellTemporal(dashboard.desk, runId)
  await page.getByText('Recorded. The run waits for a message.').waitFor()
})

test('after submitting, the next request of the list opens with the focus on its headline, and what was recorded is read out', async () => {
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
  const states = dashboard.desk.database.db.selectFrom('request').select('state')
  const rows = await states.where('id', 'in', requestIds).orderBy('position').execute()
  expect(rows.map((row) => row.state)).toEqual(['denied', 'pending'])
})
