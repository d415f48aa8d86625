import { expect, test } from 'vitest'
import { consumePermit } from '#services/external/consume-permit.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { openExternal } from '#services/external/open-external.ts'
import { reportOutcome } from '#services/external/report-outcome.ts'
import { getRequest } from '#services/requests/detail/get-request.ts'
import { settleUnknown } from '#services/engine/executions/settle-unknown.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { addKey } from '../../harness/fixtures/people.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { setRows } from '../../harness/fixtures/rows.ts'
import { ask, openDashboard } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())

test('every page of the development profile says so and lets a person act as another one', async () => {
  const page = await dashboard.open('Grace', '/runs')
  await page.getByText('Development profile.').waitFor()
  await page.getByRole('button', { name: 'Signed in as Grace' }).click()
  await page.getByRole('menuitem', { name: 'Ada' }).click()
  await page.getByRole('button', { name: 'Signed in as Ada' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/runs')
})

test('signing out leaves nothing on the page but the sign-in', async () => {
  const page = await dashboard.open('Grace', '/')
  await page.getByRole('button', { name: 'Signed in as Grace' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
})

test('a run that waits goes on with a message from who started it', async () => {
  const { desk } = dashboard
  const calls = [{ tool: 'write_file', input: { path: 'notes/new.md', content: 'Text\n' } }]
  const { runId, requestIds, callIds } = await ask(desk, calls, 'What shall I write?')
  await desk.decide(desk.people.grace, requestIds[0]!, { decision: 'deny', then: 'stop' })
  await desk.execute(callIds[0]!)
  expect(await desk.turn(runId, 2)).toEqual({ kind: 'waiting_for_input' })
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  await page.getByRole('textbox').fill('Write about the new inbox')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('.turn', { hasText: 'Write about the new inbox' }).waitFor()
  expect(await page.getByRole('textbox').inputValue()).toBe('')
})

test('a person who is asked what became of a call settles it, and only a call that did not run can run again', async () => {
  const { desk } = dashboard
  const input = { path: 'notes/lost.md', content: 'Text\n' }
  const turn = await ask(desk, [{ tool: 'write_file', input }], 'A note.')
  const { callIds, requestIds, runId } = turn
  const callId = callIds[0]!
  await desk.decide(desk.people.grace, requestIds[0]!)
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  desk.beforeExecute = () => held
  const running = desk.execute(callId)
  const { db } = desk.database
  await waitUntil(async () => {
    const query = db.selectFrom('execution').select('state').where('call_id', '=', callId)
    return (await query.executeTakeFirst())?.state === 'started'
  })
  const settled = await settleUnknown(desk.worker, { callId })
  const [check] = settled.kind === 'wait' ? settled.requestIds : []
  // The conversation says so too, and leads who may say it to the check, and others to read it.
  const page = await dashboard.open('Grace', '/')
  await page
    .locator(`[data-request="${check}"]`)
    .getByText('Did this take effect? Create notes/lost.md with 1 line')
    .waitFor()
  await page.goto(`${dashboard.url}/runs/${runId}`)
  await page.getByText('Waits for an outcome check from').waitFor()
  await page.getByRole('link', { name: 'Say whether it took effect' }).click()
  await page.getByRole('heading', { name: 'What is known' }).waitFor()
  // It shows what was approved as its approver saw it, and not the arguments of the call.
  await page.getByText('Approved: Create notes/lost.md with 1 line').waitFor()
  expect(await page.getByText('"encoding"').count()).toBe(0)
  // The words of the agent are marked as a quotation among those of the service.
  await page.getByText('> Text', { exact: true }).waitFor()
  expect(await page.getByText('The agent gave no reason').count()).toBe(0)
  await page.goto(`${dashboard.url}/requests/${requestIds[0]}`)
  const result = page.getByRole('region', { name: 'Approved by Grace' })
  await result.getByText('nobody knows whether it took effect').waitFor()
  expect(await result.getAttribute('class')).toContain('result-unknown')
  // The person who started the run cannot settle the check, and can read it. Its links are drawn
  // once it is loaded, because they depend on its state.
  const ada = await dashboard.open('Ada', `/requests/${check}`)
  const checkOf = ada.getByRole('link', { name: /took effect$|^See the outcome check$/ })
  await ada.getByRole('link', { name: 'See the request that it checks' }).click()
  await ada.waitForURL(`**/requests/${requestIds[0]}`)
  await checkOf.waitFor()
  expect(await checkOf.innerText()).toBe('See the outcome check')
  await ada.locator('.request-who').getByRole('link').first().click()
  await ada.waitForURL(`**/runs/${runId}*`)
  await ada.getByText(/, nobody knows whether it took effect/).waitFor()
  expect(await checkOf.innerText()).toBe('See the outcome check')
  await checkOf.click()
  await ada.waitForURL(`**/requests/${check}`)
  await result.getByRole('link', { name: 'Say whether it took effect' }).click()
  await page.waitForURL(`**/requests/${check}`)
  const title = 'Did this take effect? Create notes/lost.md with 1 line'
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await page.getByText('The service asks it about a call of scribe').waitFor()
  await page.locator('.panel-facts .fact', { hasText: 'Can settle' }).getByText('Grace').waitFor()
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(0)
  await page.getByRole('radio', { name: 'Yes, it did' }).check()
  expect(await page.getByRole('radio', { name: 'Carry it out again' }).isEnabled()).toBe(false)
  await page.getByRole('radio', { name: 'No, it did not' }).check()
  expect(await page.getByRole('radio', { name: 'Carry it out again' }).isEnabled()).toBe(true)
  const submit = page.getByRole('button', { name: 'Submit', exact: true })
  await page.getByRole('radio', { name: 'Continue' }).check()
  expect(await submit.isEnabled()).toBe(false)
  await page.getByLabel('Reason').fill('the file is not there')
  await page.keyboard.press('Control+Enter')
  await page.getByText('The run continues with your finding.').waitFor()
  // The form has gone, and the focus is where it was.
  const panel = page.getByRole('complementary', { name: 'Decision' })
  await expect.poll(() => panel.evaluate((it) => it.contains(document.activeElement))).toBe(true)
  // The check says what was found, and leads back to what it is about.
  await ada.reload()
  const finding = ada.getByRole('region', { name: 'Settled by Grace' })
  await finding.waitFor()
  expect(await ada.locator('.request-head .state-badge').textContent()).toBe('settled')
  expect(await finding.getByText('not yet carried out').count()).toBe(0)
  await ada.getByRole('link', { name: 'See the request that it checks' }).click()
  await ada.waitForURL(`**/requests/${requestIds[0]}`)
  await ada.getByText('A person found that it did not take effect.').first().waitFor()
  release()
  await running
})

// Rules: product.md 47
test("a program's request says whose it is, quotes its words as a claim, and what became of it", async () => {
  const { desk } = dashboard
  const { ada, grace } = desk.people
  const { caller } = await addKey(desk.database.db, ada)
  const { requestId } = await openExternal(desk.api, caller, {
    tool: 'deploy',
    input: { service: 'shop', version: '1.4.2' },
    externalId: 'deploy-42',
    title: 'Only a <b>small</b> change',
    presentation: { type: 'text', content: 'Trust me, it is https://example.com/safe' },
    onBehalfOf: 'ada@example.com',
    metadata: { ticket: 'OPS-7' },
  })
  const inbox = await dashboard.open('Grace', '/')
  const row = inbox.locator(`[data-request="${requestId}"]`)
  await row.getByText("requested by Ada's program “key of Ada”, on behalf of Ada").waitFor()
  // The person for whom it asked sees who is waited for, and may remind them.
  const asker = await dashboard.open('Ada', `/requests/${requestId}`)
  await asker.getByText('waits for Grace, Linus').first().waitFor()
  await asker.getByRole('button', { name: 'Nudge' }).click()
  await asker.getByText('2 people are notified').waitFor()
  const page = await dashboard.open('Grace', `/requests/${requestId}`)
  await page.getByText(/Ada's program “key of Ada”.* wants this/).waitFor()
  const card = page.getByRole('region', { name: 'The program that asks' })
  await card.getByText('Only a <b>small</b> change').waitFor()
  expect(await card.getByRole('link').count()).toBe(0)
  await card.getByText('Ada, behind this request').waitFor()
  expect(await page.getByRole('radio', { name: 'Deny and stop' }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'The whole run' }).count()).toBe(0)
  // A single scope is a sentence, not a field.
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.getByText('This call, once.').waitFor()
  expect(await page.getByLabel('Scope', { exact: true }).count()).toBe(0)
  await page.getByText('Needs', { exact: true }).waitFor()
  const presentation = (await getRequest(desk.api, grace.caller, { request: requestId }))
    .presentation
  await desk.decide(grace, requestId, { seen: presentation.digest, reason: 'looked' })
  const { digest } = await getRequest(desk.api, caller, { request: requestId })
  await page.getByText('Needed', { exact: true }).waitFor()
  await consumePermit(desk.api, caller, { request: requestId, digest })
  await page.getByText('The program took its permit').waitFor()
  const outcome = { request: requestId, state: 'succeeded', summary: 'Rolled out' } as const
  await reportOutcome(desk.api, caller, outcome)
  await page.getByText('The program says that it was carried out.').first().waitFor()
  await card.getByText('The program says that it was carried out.').waitFor()
  await card.getByText('Rolled out').waitFor()
})

// Rules: product.md 11
test("an approver changes a program's call in the dashboard, and is then one of the people behind it", async () => {
  const { desk } = dashboard
  const { caller } = await addKey(desk.database.db, desk.people.ada)
  const { requestId } = await openExternal(desk.api, caller, {
    tool: 'deploy',
    input: { service: 'shop', version: '1.5.0' },
    externalId: 'deploy-43',
  })
  const page = await dashboard.open('Grace', `/requests/${requestId}`)
  await page.getByRole('radio', { name: 'Approve with changes' }).check()
  await page.getByRole('textbox', { name: 'version' }).fill('1.4.9')
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByText("you can't decide: you edited this call").first().waitFor()
  expect(await getRequest(desk.api, caller, { request: requestId })).toMatchObject({
    revision: 2,
    input: { service: 'shop', version: '1.4.9' },
  })
})

// Rules: product.md 46; security.md 17, 18
test('the place where a program says that it works is shown as reported, as text, with whether it is proved', async () => {
  const { desk } = dashboard
  const { caller } = await addKey(desk.database.db, desk.people.ada)
  const before = 'first\nold\n'
  const host = 'lap\u202etop <img src=x onerror=alert(1)>'
  const { requestId } = await openExternal(desk.api, caller, {
    tool: 'write_file',
    input: { path: 'notes/theirs.md', content: 'first\nnew\n' },
    worker: 'scribe',
    externalId: 'reported-1',
    origin: {
      program: 'Claude Code',
      version: '2.1.227',
      host,
      folder: desk.root,
      git: { remote: 'https://example.com/shop.git', commit: 'ab'.repeat(20), dirty: true },
      files: [{ path: 'notes/theirs.md', hash: hashBytes(before), content: before }],
    },
  })
  const page = await dashboard.open('Grace', `/requests/${requestId}`)
  const card = page.getByRole('region', { name: 'The program that asks' })
  await card.getByText('Claude Code 2.1.227 on lap').waitFor()
  await card.getByText('<img src=x onerror=alert(1)>').waitFor()
  await card.getByText('U+202E').waitFor()
  await card.getByText(desk.root).waitFor()
  await card.getByText(/not proved: no file of the workspace/).waitFor()
  await card.getByText(/shop\.git at abab.*, with changes that are not committed/).waitFor()
  expect(await card.getByRole('link').count()).toBe(0)
  expect(await page.locator('img[src="x"]').count()).toBe(0)
  await card.getByText('notes/theirs.md').click()
  await card.getByText('first').waitFor()
  await page.getByText('No file of this service was read to compare').waitFor()
  await page.getByText('old').first().waitFor()
})

test('a request from before a restore says in the queue and on its page that it may have run, and is approved only with a reason', async () => {
  const { desk } = dashboard
  const input = { path: 'notes/again.md', content: 'Text\n' }
  const { requestIds } = await ask(desk, [{ tool: 'write_file', input }], 'Again.')
  const { number } = await getRequest(desk.api, desk.people.grace.caller, {
    request: requestIds[0]!,
  })
  await restoredIn(2)
  try {
    const page = await dashboard.open('Grace', '/')
    const row = page.locator('li', { hasText: 'notes/again.md' })
    await row.getByText('opened before a restore: may have run').waitFor()
    await row.getByRole('link').click()
    await page.getByRole('alert').getByText('It may have been carried out already').waitFor()
    await page.getByRole('radio', { name: 'Approve', exact: false }).first().check()
    const submit = page.getByRole('button', { name: 'Submit', exact: true })
    expect(await submit.isEnabled()).toBe(false)
    await page.getByText('approving it needs a reason').waitFor()
    await page.getByLabel('Reason').fill('I looked: the file is not there')
    await submit.click()
    await page.getByText('Approved by you').waitFor()
    expect(await page.getByText('It may have been carried out already').count()).toBe(0)
  } finally {
    await restoredIn(1)
  }
  const { decisions } = await getRequest(desk.api, desk.people.grace.caller, {
    request: String(number),
  })
  expect(decisions[0]?.reason).toBe('I looked: the file is not there')
})

/** As `doctor --repair` leaves it, which raises the installation's epoch too. */
async function restoredIn(epoch: number): Promise<void> {
  await setRows(dashboard.desk.database.db, 'installation', {}, { restored_epoch: epoch })
}
