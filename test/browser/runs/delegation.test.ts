import { beforeAll, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { admitRun } from '#services/engine/lifecycle/admit-run.ts'
import { answerQuestion } from '#services/decisions/answer-question.ts'
import { closeRun } from '#services/engine/lifecycle/close-run.ts'
import { deskConfig } from '../../harness/fixtures/agent-desk.ts'
import { rowOf } from '../../harness/fixtures/rows.ts'
import { openDashboard, tellTemporal } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())

const zones = `zones:
  - { name: notes, root: ./notes, mode: rw, approval: { read: preApproved, write: ask, share: ask } }`

function worker(name: string, front: string): string {
  const model = 'model: openai-compatible:scripted-by-the-test'
  return `---\nname: ${name}\ndescription: The ${name}\n${model}\n${front}\n${zones}\n---\nWork.\n`
}

beforeAll(async () => {
  const { desk } = dashboard
  await desk.activate({
    'countersign.yaml': deskConfig,
    'workers/scribe.md': worker('scribe', 'workers: [reviewer]\ntools: { ask_person: {} }'),
    'workers/reviewer.md': worker('reviewer', ''),
  })
  await desk.write('notes/1.md', 'One line\n')
})

async function asks(tool: string, input: { readonly [field: string]: string | string[] }) {
  const { desk } = dashboard
  desk.say({ text: 'I need this.', calls: [{ tool, input }] })
  const { runId, turn } = await desk.startTurn()
  const [call] = await desk.calls(runId, 1)
  return { runId, turn, callId: call?.id ?? '', requestId: call?.requestId ?? '' }
}

async function numbersOf(callId: string): Promise<string[]> {
  const rows = await dashboard.desk.database.db
    .selectFrom('request')
    .select('id')
    .where('call_id', '=', callId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

// Rules: product.md 17, 23
test('a question is read, and answered with one of its choices, on its page; the page tells what that means', async () => {
  const { desk } = dashboard
  const input = { question: 'Which branch do I take?', choices: ['main', 'next'] }
  const { runId, requestId } = await asks('ask_person', input)
  const page = await dashboard.open('Grace', `/requests/${requestId}`)
  await page.getByRole('heading', { name: 'Which branch do I take?' }).waitFor()
  expect(await page.title()).toContain('Ask: Which branch do I take?')
  const texts = page.locator('.request').getByText(input.question).filter({ visible: true })
  expect(await texts.count()).toBe(1)
  const panel = page.getByRole('complementary', { name: 'Decision' })
  expect(await panel.getByRole('radio', { checked: true }).count()).toBe(0)
  expect(await panel.getByRole('button', { name: 'Submit' }).isDisabled()).toBe(true)
  expect(await panel.getByRole('radio', { name: 'Approve as shown' }).count()).toBe(0)
  await panel.getByRole('radio', { name: 'next' }).check()
  await panel.getByRole('button', { name: 'Submit' }).click()
  await panel.getByText('so other people decide them').waitFor()
  await page.getByRole('heading', { name: 'What came of it' }).waitFor()
  await page.goto(`${dashboard.url}/runs/${runId}`)
  await page.getByText('Their answer approves nothing by itself').waitFor()
  expect((await desk.calls(runId, 1))[0]?.result).toBe('output')
  // Who started the run may answer it too.
  const { requestId: another } = await asks('ask_person', input)
  const own = await dashboard.open('Ada', `/requests/${another}`)
  await own.getByRole('radio', { name: 'main' }).check()
  await own.getByRole('button', { name: 'Submit' }).click()
  await own.getByRole('heading', { name: 'What came of it' }).waitFor()
})

// Rules: product.md 23
test('a delegation shows target, attachments and task; its run is nested where it was started, linked both ways', async () => {
  const { desk } = dashboard
  const input = { worker: 'reviewer', input: 'Review the notes', attachments: ['notes/1.md'] }
  const { runId, callId, requestId } = await asks('call_worker', input)
  const page = await dashboard.open('Grace', `/requests/${requestId}`)
  await page.getByRole('heading', { name: 'Hand work to reviewer: Review the notes' }).waitFor()
  const effect = page.getByRole('region', { name: 'All that will happen' })
  await effect.getByText('notes/1.md 9 bytes sha256:').waitFor()
  const [, attachment = ''] = await numbersOf(callId)
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.getByRole('button', { name: 'Submit', exact: true }).click()
  await page.getByText('Recorded. The run gets the decision').waitFor()
  await tellTemporal(desk, runId)
  await page.getByText('when the other request of its delegation is approved too').waitFor()
  await page.goto(`${dashboard.url}/requests/${attachment}`)
  await page.getByRole('heading', { name: /notes\/1.md/ }).waitFor()
  // Its lines can be commented like those of a difference.
  const shared = page.getByRole('region', { name: 'All that will happen' })
  await shared.locator('.code-number').first().click()
  await page.getByLabel('Comment on new line 1').fill('Which line?')
  await page.getByRole('button', { name: 'Comment on the line' }).click()
  await shared.locator('.line-comment', { hasText: 'Which line?' }).getByText('Grace').waitFor()
  await desk.decide(desk.people.grace, attachment)
  const outcome = await desk.execute(callId)
  const childId = outcome.kind === 'wait' ? (outcome.requestIds[0] ?? '') : ''
  expect(await admitRun(desk.api, { runId: childId })).toBe(true)
  await tellTemporal(desk, childId)
  const write = { path: 'notes/review.md', content: 'Fine.\n' }
  desk.say({ text: 'I note it.', calls: [{ tool: 'write_file', input: write }] })
  const turn = await desk.turn(childId, 1)
  const parent = await dashboard.open('Ada', `/runs/${runId}`)
  await parent.getByText('which waits for approval').waitFor()
  await parent.getByText('Waits for reviewer.', { exact: true }).waitFor()
  expect(await parent.getByText('The model is at work.').count()).toBe(0)
  const nested = parent.getByRole('region', { name: 'Run of reviewer' })
  await nested.getByText('Its turns').click()
  await nested.getByText('I note it.').waitFor()
  await nested.getByRole('link', { name: 'The run of reviewer' }).click()
  await parent.getByRole('heading', { name: /reviewer: Review the notes/ }).waitFor()
  await parent.getByRole('complementary').getByRole('link', { name: 'scribe' }).waitFor()
  const [call] = await desk.calls(childId, 1)
  await parent.goto(`${dashboard.url}/requests/${call?.requestId}`)
  await parent.getByRole('heading', { name: 'Proof' }).click()
  const lineage = parent.getByRole('region', { name: 'Where it comes from' })
  await lineage.getByRole('link', { name: 'scribe' }).waitFor()
  await lineage.getByRole('link', { name: 'reviewer' }).waitFor()
  await desk.decide(desk.people.grace, call?.requestId ?? '')
  await desk.perform(turn)
  desk.say({ text: 'All is fine.' })
  await desk.turn(childId, 2)
  await closeRun(desk.api, { runId: childId })
  await desk.execute(callId)
  await parent.goto(`${dashboard.url}/runs/${runId}`)
  await parent.getByText('All is fine.').first().waitFor()
  expect(await parent.getByText('which waits for').count()).toBe(0)
})

test('after both parts of a delegation are approved by key, the second is not said to wait for the first', async () => {
  const { desk } = dashboard
  const { db } = desk.database
  const input = { worker: 'reviewer', input: 'Read both', attachments: ['notes/1.md'] }
  const { runId, callId } = await asks('call_worker', input)
  const [call = '', attachment = ''] = await numbersOf(callId)
  const page = await dashboard.open('Grace', `/?runId=${runId}`)
  await page.getByRole('link', { name: 'Hand work to reviewer' }).first().click()
  for (const id of [call, attachment]) {
    await page.waitForURL(new RegExp(`/requests/${(await rowOf(db, 'request', { id })).number}`))
    await page.getByRole('radio', { name: 'Approve as shown' }).waitFor()
    await page.keyboard.press('a')
    await page.keyboard.press('a')
  }
  const bars = page.getByRole('region', { name: 'Decisions being sent' })
  for (const id of [call, attachment]) {
    await expect.poll(async () => (await rowOf(db, 'request', { id })).state).toBe('approved')
    await tellTemporal(desk, runId)
  }
  await bars.getByText('The run has the decision, and goes on as soon as it can.').waitFor()
  expect(await bars.getByText('other request of its delegation').count()).toBe(0)
})

test('a question that is asked, and answered by somebody else, appears and is closed on pages that are open', async () => {
  const { desk } = dashboard
  const day = await asks('ask_person', { question: 'Which day is it?' })
  const inbox = await dashboard.open('Grace', '/')
  await inbox.getByRole('link', { name: 'Which day is it?' }).waitFor()
  await inbox.getByText('Live', { exact: true }).waitFor()
  const input = { question: 'Which host do I use?', choices: ['red', 'blue'] }
  const { runId, requestId } = await asks('ask_person', input)
  await inbox.getByRole('button', { name: '1 new' }).click()
  const row = inbox.locator('.request-row', { hasText: 'Which host do I use?' })
  await row.waitFor()
  const open = await dashboard.open('Grace', `/requests/${requestId}`)
  const panel = open.getByRole('complementary', { name: 'Decision' })
  await panel.getByRole('radio', { name: 'red' }).check()
  const run = await dashboard.open('Ada', `/runs/${runId}`)
  await run.getByRole('link', { name: 'Waits for an answer' }).waitFor()
  for (const page of [open, run]) await page.getByText('Live', { exact: true }).waitFor()
  const linus = await rowOf(desk.database.db, 'person', { email: 'linus@example.com' })
  await answerQuestion(
    desk.api,
    { actor: { type: 'person', ...linus }, channel: 'dashboard' },
    { request: requestId, text: 'blue' },
  )
  await panel.getByText('Answered by Linus').waitFor()
  expect(await open.locator('.request-head .state-badge').textContent()).toBe('answered')
  expect(await panel.getByRole('radio').count()).toBe(0)
  expect(await panel.getByRole('button', { name: 'Submit' }).count()).toBe(0)
  await run.getByText('Their answer approves nothing by itself').waitFor()
  expect(await run.getByRole('link', { name: 'Waits for an answer' }).count()).toBe(0)
  await row.getByText('Answered by Linus').waitFor()
  // The words of a person stay in the field when another answer was first, to be copied.
  await open.goto(`${dashboard.url}/requests/${day.requestId}`)
  await open.getByLabel('Answer').fill('Monday, by the calendar')
  await answerQuestion(
    desk.api,
    { actor: { type: 'person', ...linus }, channel: 'dashboard' },
    { request: day.requestId, text: 'Tuesday' },
  )
  await panel.getByText('Answered by Linus').waitFor()
  await panel.getByText('Monday, by the calendar').waitFor()
})
