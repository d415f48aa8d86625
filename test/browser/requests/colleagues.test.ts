import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { advanceRequests } from '#services/requests/ending/advance-requests.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { deskConfig } from '../../harness/fixtures/agent-desk.ts'
import { ask, askForNote, focusedText, openDashboard, signInHere } from '../open-dashboard.ts'
import { statesOf } from '../../harness/fixtures/rows.ts'
import { sealRows } from '../../harness/fixtures/keys/test-keys.ts'

const config = deskConfig.replace(
  'defaults:',
  `  pairs: { team: platform, remindAfter: 4h, escalate: [{ after: 24h, addTeams: [operators] }] }
routing:
  - { when: { path: "notes/by-two-*" }, queue: pairs, quorum: { count: 2 } }
  - when: { path: "notes/by-either-*" }
    quorum: { anyOf: [{ team: platform, count: 1 }, { team: operators, count: 1 }] }
defaults:`,
)

const dashboard = disposeAfterTests(await openDashboard())
await dashboard.desk.activate({ 'countersign.yaml': config })

let file = 0

const newNote = () => askForNote(dashboard.desk, `notes/colleagues-${++file}.md`)
const states = (...ids: string[]) => statesOf(dashboard.desk.database.db, ids)

test('somebody outside of the queue, who may not claim a request, has neither the button nor the key for it', async () => {
  const { id } = await newNote()
  const olga = await dashboard.open('Olga', `/requests/${id}`)
  await olga.getByRole('button', { name: 'Copy the link' }).waitFor()
  expect(await olga.getByRole('button', { name: 'Claim' }).count()).toBe(0)
  const calls: string[] = []
  olga.on('request', (request) => calls.push(request.url()))
  await olga.keyboard.press('c')
  await olga.keyboard.press('?')
  await olga.getByRole('dialog').waitFor()
  expect(calls.filter((url) => url.includes('claim'))).toEqual([])
})

test('a colleague sees at once who is on a request, in the list and on its page, and when nobody is any more', async () => {
  const { id, path } = await newNote()
  const inbox = await dashboard.open('Linus', '/')
  const row = inbox.locator('.request-row', { hasText: path })
  await row.waitFor()
  const linus = await dashboard.open('Linus', `/requests/${id}`)
  await linus.getByRole('button', { name: 'Claim' }).waitFor()
  const grace = await dashboard.open('Grace', `/requests/${id}`)
  await grace.getByRole('button', { name: 'Claim' }).waitFor()
  await grace.keyboard.press('c')
  await grace.getByRole('button', { name: 'Release' }).waitFor()
  await row.getByText('Grace is on it').waitFor()
  await linus.getByText('Grace is on it').waitFor()
  // A claim keeps nobody from deciding.
  expect(await linus.getByRole('radio', { name: 'Approve as shown' }).isEnabled()).toBe(true)
  await grace.getByRole('button', { name: 'Release' }).click()
  await row.getByText('Grace is on it').waitFor({ state: 'detached' })
  await linus.getByText('Grace is on it').waitFor({ state: 'detached' })
})

test('the people of every alternative of a quorum are offered what those of its queue may do', async () => {
  const { desk } = dashboard
  const { id } = await askForNote(desk, 'notes/by-either-1.md')
  const olga = await dashboard.open('Olga', `/requests/${id}`)
  await olga.getByRole('button', { name: 'Extend by a day' }).waitFor()
  await olga.getByRole('button', { name: 'Hand over' }).waitFor()
  await olga.getByRole('button', { name: 'Claim' }).click()
  await olga.getByRole('button', { name: 'Release' }).waitFor()
  await desk.decide(desk.people.olga, id, { decision: 'deny' })
})

test('an act beside the decision is announced, and leaves the focus on its button', async () => {
  const { id } = await newNote()
  const page = await dashboard.open('Grace', `/requests/${id}`)
  const press = async (name: string, words: string | RegExp) => {
    await page.getByRole('button', { name }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText(words).waitFor({ state: 'attached' })
    return focusedText(page)
  }
  expect(await press('Claim', /^Claimed #/)).toMatch(/^(?:Release|Claim)$/)
  expect(await press('Release', /^Released #/)).toMatch(/^(?:Release|Claim)$/)
  expect(await press('Extend by a day', 'The deadline is a day later')).toBe('Extend by a day')
})

test('the list says to a person that a request was handed over to them', async () => {
  const { id, path } = await newNote()
  const grace = await dashboard.open('Grace', `/requests/${id}`)
  await grace.getByRole('button', { name: 'Hand over' }).click()
  await grace.getByRole('menuitem', { name: 'Linus' }).click()
  await grace.getByText('handed over to Linus', { exact: true }).waitFor()
  // The head of the request keeps its one line, beside the list too.
  await grace.setViewportSize({ width: 1440, height: 900 })
  const head = await grace.locator('.request-head').boundingBox()
  const button = await grace.getByRole('button', { name: 'Snooze' }).boundingBox()
  expect(head?.height).toBeLessThanOrEqual((button?.height ?? 0) + 1)
  const linus = await dashboard.open('Linus', '/')
  const row = linus.locator('.request-row', { hasText: path })
  await row.getByText('handed over to you', { exact: true }).waitFor()
  // The effect is whole, however narrow the page is beside the list of queues.
  for (const width of [1000, 1150, 1279]) {
    await linus.setViewportSize({ width, height: 800 })
    const link = row.getByRole('link', { name: path })
    const cutBy = await link.evaluate((it) => it.scrollWidth - it.clientWidth)
    expect(cutBy, `${width} px`).toBeLessThanOrEqual(0)
  }
})

test('a comment appears for colleagues as text; an unsent one survives Escape, which leaves only the field, and a reload', async () => {
  const { id } = await newNote()
  const linus = await dashboard.open('Linus', `/requests/${id}`)
  await linus.getByRole('textbox', { name: 'Comment' }).waitFor()
  const grace = await dashboard.open('Grace', `/requests/${id}`)
  await grace.getByRole('textbox', { name: 'Comment' }).waitFor()
  await grace.keyboard.press('m')
  await grace.keyboard.type('Is <b>this</b> planned?')
  await grace.keyboard.press('Escape')
  const form = grace.getByRole('region', { name: 'Comments' }).locator('.comment-form')
  await expect.poll(() => form.evaluate((it) => it === document.activeElement)).toBe(true)
  expect(new URL(grace.url()).pathname).toBe(`/requests/${id}`)
  await grace.reload()
  const box = grace.getByRole('textbox', { name: 'Comment' })
  expect(await box.inputValue()).toBe('Is <b>this</b> planned?')
  await grace.getByRole('button', { name: 'Comment', exact: true }).click()
  const comments = linus.getByRole('region', { name: 'Comments' })
  // Nothing that Linus reads moves before he asks for it.
  const placesOf = () =>
    linus
      .locator('.request-main > *, .comment-form')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
  const before = await placesOf()
  const button = comments.getByRole('button', { name: 'Show 1 new comment' })
  await button.waitFor()
  expect(await placesOf()).toEqual(before)
  expect(await comments.getByText('Is <b>this</b> planned?').count()).toBe(0)
  await button.focus()
  await linus.keyboard.press('Enter')
  await comments.getByText('Is <b>this</b> planned?').waitFor()
  expect(await comments.evaluate((it) => it.contains(document.activeElement))).toBe(true)
  await comments.getByText('Grace', { exact: true }).waitFor()
  // Linus may learn of it before Grace has the answer.
  await expect.poll(() => box.inputValue()).toBe('')
  // Readers of the earlier text see that the comment was edited.
  expect(await comments.getByText(/, edited/).count()).toBe(0)
  const own = grace.getByRole('region', { name: 'Comments' })
  await own.getByRole('button', { name: 'Edit' }).click()
  await own.getByRole('textbox', { name: 'Text of the comment' }).fill('Is that planned?')
  await own.getByRole('button', { name: 'Save' }).click()
  await comments.getByText('Is that planned?').waitFor()
  await comments.getByText(/, edited just now/).waitFor()
})

test('the text that a person began to write is not shown to the next person in the same tab', async () => {
  const { id } = await newNote()
  const page = await dashboard.open('Grace', `/requests/${id}`)
  const box = page.getByRole('textbox', { name: 'Comment' })
  await box.fill('Who let this in?')
  const signInAs = async (name: string): Promise<void> => {
    await page.context().clearCookies()
    await page.reload()
    await signInHere(page, name)
    await box.waitFor()
  }
  await signInAs('Linus')
  expect(await box.inputValue()).toBe('')
  await signInAs('Grace')
  expect(await box.inputValue()).toBe('Who let this in?')
})

// Rules: product.md 18
test('a person who needs a colleague reads who has voted and what is missing; a person whom an escalation adds finds the request and decides', async () => {
  const { desk } = dashboard
  const path = 'notes/by-two-1.md'
  const input = { path, content: 'Text\n' }
  const { runId, requestIds } = await ask(desk, [{ tool: 'write_file', input }], 'A note.')
  const id = requestIds[0]!
  const grace = await dashboard.open('Grace', `/requests/${id}`)
  await grace.getByText('Escalation to operators').waitFor()
  await grace.getByRole('radio', { name: 'Approve as shown' }).check()
  await grace.getByRole('button', { name: 'Submit', exact: true }).click()
  await grace.getByText('Recorded. It still needs 1 of platform.').waitFor()
  await grace.reload()
  await grace.getByText('You approved this', { exact: true }).waitFor()
  await grace.getByText(/^At \d\d:\d\d\. It waits for others\.$/).waitFor()
  expect(await grace.getByText("You can't decide").count()).toBe(0)
  const linus = await dashboard.open('Linus', `/requests/${id}`)
  await linus.getByText('Grace (platform)').waitFor()
  // Whoever started the run reads only of those who can still decide it.
  const ada = await dashboard.open('Ada', `/requests/${id}`)
  await ada.getByText('waits for Linus', { exact: true }).waitFor()
  await linus.getByText('still 1 of platform').waitFor()
  // Who has voted cannot decide it again.
  const decider = linus.locator('.panel-facts .fact', { hasText: 'Can decide' }).locator('dd')
  expect(await decider.innerText()).toBe('Linus')
  expect(await linus.getByRole('button', { name: 'Hand over' }).count()).toBe(0)
  await linus.getByText('expires in 2 days, then').waitFor()
  await linus.getByRole('button', { name: 'Extend by a day' }).click()
  await linus.getByText('expires in 3 days, then').waitFor()
  const olga = await dashboard.open('Olga', '/?mine=true')
  await olga.getByText('Nothing waits for you').first().waitFor()

  const day = sql`interval '24 hours'`
  await sql`
    update request set created_at = created_at - ${day}, next_step_at = next_step_at - ${day},
      expires_at = expires_at - ${day} where id = ${id}
  `.execute(desk.database.db)
  await sealRows(desk.database.db, 'request', 'id', id)
  await advanceRequests(desk.api, { runId })
  await linus.getByText('still 1 of platform (or operators)').waitFor()
  await linus.getByText('escalated to operators').waitFor()
  const row = olga.locator('.request-row', { hasText: path })
  await row.getByText('escalated to operators').waitFor()
  await row.getByRole('link').click()
  await olga.getByRole('radio', { name: 'Approve as shown' }).check()
  await olga.getByRole('button', { name: 'Submit', exact: true }).click()
  await linus.getByText('Olga (operators)').waitFor()
  expect(await states(id)).toEqual(['approved'])
  // Nothing has carried it out yet, so that it can still be taken back.
  await linus.getByRole('button', { name: 'Revoke the approval…' }).click()
  const revoke = linus.getByRole('button', { name: 'Revoke the approval', exact: true })
  expect(await revoke.isDisabled()).toBe(true)
  await linus.getByLabel('Reason').last().fill('not this week')
  await revoke.click()
  await olga.getByText('It was not carried out: the approval was revoked.').waitFor()
})

test('many are denied at once with one reason; the one that was decided meanwhile says so, and its decision stands; the focus is never lost', async () => {
  const [first, second, third] = [await newNote(), await newNote(), await newNote()]
  const page = await dashboard.open('Grace', '/')
  const focused = () => focusedText(page)
  const box = (path: string) =>
    page.locator('.request-row', { hasText: path }).getByRole('checkbox')
  await box(first.path).check()
  await page.getByRole('button', { name: 'Clear', exact: true }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(focused).toBe('Inbox')
  expect(await box(first.path).isChecked()).toBe(false)
  for (const { path } of [first, second, third]) await box(path).check()
  await page.getByRole('button', { name: 'Deny 3…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('not this week')
  const { desk } = dashboard
  const linus = await dashboard.open('Linus', `/requests/${second.id}`)
  await linus.getByRole('radio', { name: 'Approve as shown' }).check()
  await linus.getByRole('button', { name: 'Submit', exact: true }).click()
  await linus.getByText('Approved by you').waitFor()
  await dialog.getByRole('button', { name: 'Deny 3', exact: true }).click()
  await dialog.getByText('Results').waitFor()
  await expect.poll(focused).toBe('Back to the inbox')
  const result = (path: string) => dialog.getByRole('listitem').filter({ hasText: path })
  await result(first.path).getByText('recorded', { exact: true }).waitFor()
  await result(third.path).getByText('recorded', { exact: true }).waitFor()
  expect(await result(second.path).locator('.not-ok').textContent()).toMatch(/already|approved/i)
  const found = await states(first.id, second.id, third.id)
  expect(found).toEqual(['denied', 'approved', 'denied'])
  await page.keyboard.press('Enter')
  await expect.poll(focused).toBe('Inbox')
  const reasons = await desk.database.db
    .selectFrom('decision')
    .select(['reason_hash', 'batch_decision_id'])
    .where('request_id', 'in', [first.id, third.id])
    .execute()
  expect(reasons.every((one) => one.reason_hash !== null)).toBe(true)
  expect(new Set(reasons.map((one) => one.batch_decision_id)).size).toBe(1)
})
