import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { askForNote, openDashboard } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { sealRows } from '../../harness/fixtures/keys/test-keys.ts'
import { rowsOf, statesOf } from '../../harness/fixtures/rows.ts'

const dashboard = disposeAfterTests(await openDashboard())

let file = 0

const newNote = (content?: string) =>
  askForNote(dashboard.desk, `notes/decide-${++file}.md`, content)
const states = (...ids: string[]) => statesOf(dashboard.desk.database.db, ids)

test('a request is opened, approved and carried out with the keyboard alone, and the page says what happened', async () => {
  const { path, id, callId } = await newNote()
  const page = await dashboard.open('Grace', '/')
  await page.getByRole('link', { name: path }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: path }).waitFor()
  await page.keyboard.press('a')
  await page.keyboard.press('Space')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Approved by you').waitFor()
  expect(await states(id)).toEqual(['approved'])
  await page
    .getByText('Recorded. The run gets the decision as soon as Temporal can be reached.')
    .waitFor()
  await dashboard.desk.execute(callId)
  await page.getByText('Recorded. The run goes on.').waitFor()
  await page.getByText('Carried out.').waitFor()
  expect(await dashboard.desk.read(path)).toBe('Text\n')
})

test('neither Enter nor Ctrl+Enter decides anything while nothing is chosen', async () => {
  const { id } = await newNote()
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await page.getByRole('radio', { name: 'Approve as shown' }).waitFor()
  for (const radio of await page.getByRole('radio').all())
    expect(await radio.isChecked()).toBe(false)
  for (const key of ['Enter', 'Control+Enter', 'Control+Shift+Enter']) {
    await page.keyboard.press(key)
  }
  await page.locator('.obstacle', { hasText: 'Choose a decision first.' }).waitFor()
  expect(await states(id)).toEqual(['pending'])
})

test('deny comes first in the order of the keyboard, and D leads there', async () => {
  const { id } = await newNote()
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await page.getByRole('radio', { name: 'Deny', exact: true }).waitFor()
  const labels = await page
    .getByRole('radio')
    .evaluateAll((radios) => radios.map((radio) => (radio as HTMLInputElement).value))
  expect(labels).toEqual(['deny', 'stop', 'approve', 'edit'])
  await page.keyboard.press('d')
  expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('deny')
})

/** A page of Linus that gets no events, with an approval that is not sent yet. */
async function approvesUnaware(id: string, reason: string) {
  const page = await dashboard.open('Linus', '/')
  await page.route('**/v1/events', (route) => route.abort())
  await page.goto(`${dashboard.url}/requests/${id}`)
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.getByLabel('Reason').fill(reason)
  return page
}

// Rules: product.md 7
test('one of two people who race decides; the other reads who, keeps the typed reason, and nothing of theirs counts', async () => {
  const { id } = await newNote()
  const grace = await dashboard.open('Grace', `/requests/${id}`)
  const linus = await approvesUnaware(id, 'matches the plan')
  await grace.getByRole('radio', { name: 'Deny', exact: true }).check()
  await grace.getByRole('button', { name: 'wrong file' }).press('Enter')
  expect(await grace.getByLabel('Reason').inputValue()).toBe('wrong file')
  await grace.getByRole('button', { name: 'Submit', exact: true }).click()
  await grace.getByText('Denied by you').waitFor()
  await linus.getByRole('button', { name: 'Submit', exact: true }).click()
  const notice = linus.getByRole('alert').filter({ hasText: 'Already denied by Grace' })
  await notice.waitFor()
  expect(await notice.textContent()).toContain('wrong file')
  expect(await notice.textContent()).toContain('Your approval was not recorded.')
  await linus.getByText('matches the plan').waitFor()
  expect(await states(id)).toEqual(['denied'])
})

// Rules: product.md 12
test('a person who decides an expired request reads that it expired, keeps the typed reason, and nothing is recorded', async () => {
  const { id } = await newNote()
  const { db } = dashboard.desk.database
  const linus = await approvesUnaware(id, 'matches the plan')
  const days = sql`interval '9 days'`
  await sql`
    update request set created_at = created_at - ${days}, expires_at = expires_at - ${days}
    where id = ${id}
  `.execute(db)
  await sealRows(db, 'request', 'id', id)
  await linus.getByRole('button', { name: 'Submit', exact: true }).click()
  await linus.getByRole('alert').filter({ hasText: 'This expired before your decision' }).waitFor()
  await linus.getByText('Your approval was not recorded.').waitFor()
  await linus.getByText('matches the plan').waitFor()
  const votes = db.selectFrom('decision').select('id').where('request_id', '=', id)
  expect(await votes.execute()).toEqual([])
})

// Rules: product.md 6, 11
test('a person who opened an earlier revision cannot decide the new one unseen', async () => {
  const { id } = await newNote('first\n')
  const linus = await approvesUnaware(id, 'first is fine')

  const grace = await dashboard.open('Grace', `/requests/${id}`)
  await grace.getByRole('radio', { name: 'Approve with changes' }).check()
  await grace.getByLabel('content').fill('second\n')
  await grace.getByRole('button', { name: 'Preview the changes' }).click()
  await grace.getByText('revision 2').first().waitFor()

  await linus.getByRole('button', { name: 'Submit', exact: true }).click()
  await linus.getByText('This changed since you opened it').waitFor()
  expect(await states(id)).toEqual(['pending'])
  await linus.getByRole('button', { name: 'Show what changed' }).click()
  const region = linus.getByRole('region', { name: 'What changed' })
  await region.getByText('second').waitFor()
  await region.getByText('first', { exact: true }).waitFor()

  await linus.getByRole('button', { name: 'Show the new revision' }).click()
  await linus.getByRole('radio', { name: 'Approve as shown' }).waitFor()
  expect(await linus.getByLabel('Reason').inputValue()).toBe('first is fine')
  await linus.getByRole('radio', { name: 'Approve as shown' }).check()
  await linus.getByRole('button', { name: 'Submit', exact: true }).click()
  await linus.getByText('Approved by you').waitFor()
  const { db } = dashboard.desk.database
  const decisions = await rowsOf(db, 'decision', { request_id: id }, 'revision')
  expect(decisions).toEqual([{ revision: 2 }])
})

test('a change that arrives while a person reads is announced, and does not replace what they see', async () => {
  const { id } = await newNote('first\n')
  const linus = await dashboard.open('Linus', `/requests/${id}`)
  await linus.getByRole('radio', { name: 'Approve as shown' }).check()
  const grace = await dashboard.open('Grace', `/requests/${id}`)
  await grace.getByRole('radio', { name: 'Approve with changes' }).check()
  await grace.getByLabel('content').fill('slipped in\n')
  await grace.getByRole('button', { name: 'Preview the changes' }).click()
  await linus.getByText('This changed since you opened it').waitFor()
  expect(await linus.getByRole('region', { name: 'All that will happen' }).textContent()).toContain(
    'first',
  )
  expect(await linus.getByRole('button', { name: 'Submit', exact: true }).count()).toBe(0)
})

test('the person who started the run reads why they cannot decide, and has nothing to decide with', async () => {
  const { id } = await newNote()
  const page = await dashboard.open('Ada', `/requests/${id}`)
  await page.getByText("You can't decide: you started this run").waitFor()
  expect(await page.getByRole('radio').count()).toBe(0)
})

test('a decision whose answer is lost does not count as recorded; sent again, it counts once', async () => {
  const { id } = await newNote()
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  // The decision arrives, its answer does not, and nothing else tells of it.
  await page.route(`**/v1/requests/${id}`, (route) => route.abort())
  await page.route(
    '**/decisions',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await page.getByRole('button', { name: 'Submit', exact: true }).click()
  await page.getByText('The service did not answer').waitFor()
  await page.unroute(`**/v1/requests/${id}`)
  await page.getByRole('button', { name: 'Submit', exact: true }).click()
  await page
    .getByText(/Approved by (you|Grace)/)
    .first()
    .waitFor()
  const { db } = dashboard.desk.database
  expect(
    await db.selectFrom('decision').selectAll().where('request_id', '=', id).execute(),
  ).toHaveLength(1)
})

test('many alike are approved with one action after a list of what it covers, with a result for each', async () => {
  const first = await newNote()
  const second = await newNote()
  const other = await newNote()
  const page = await dashboard.open('Grace', '/')
  for (const { path } of [first, second, other]) {
    const row = page.getByRole('listitem').filter({ hasText: path })
    await row.getByRole('checkbox').check()
  }
  await page.getByRole('button', { name: 'Approve 3…' }).click()
  const dialog = page.getByRole('dialog')
  // Each counts once all of it was on the screen; one is taken out.
  await dialog
    .getByRole('listitem')
    .filter({ hasText: other.path })
    .getByRole('button', { name: /^Leave out/ })
    .click()
  for (const { path } of [first, second]) {
    const item = dialog.getByRole('listitem').filter({ hasText: path })
    await item.getByText('Text').first().scrollIntoViewIfNeeded()
    await item.getByText(/Seen in full|Not seen in full/).scrollIntoViewIfNeeded()
    await item.getByText('Seen in full', { exact: true }).waitFor()
  }
  await dialog.getByRole('button', { name: 'Approve 2', exact: true }).click()
  await dialog.getByText('Results').waitFor()
  expect(await dialog.getByText('recorded', { exact: true }).count()).toBe(2)
  expect(await states(first.id, second.id)).toEqual(['approved', 'approved'])
  expect(await states(other.id)).toEqual(['pending'])
})

test('the content security policy refused nothing during these tests, and the page threw no error', () => {
  expect(dashboard.complaints).toEqual([])
})
