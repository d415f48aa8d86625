import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { statesOf } from '../../harness/fixtures/rows.ts'
import { writeCall } from '../../harness/fixtures/runs/file-calls.ts'
import { deskConfig, deskWorker } from '../../harness/fixtures/agent-desk.ts'
import { ask, openDashboard, phone } from '../open-dashboard.ts'
import { axeProblems } from '../../harness/programs/axe.ts'

const dashboard = disposeAfterTests(await openDashboard())
const { db } = dashboard.desk.database
const { desk } = dashboard
await desk.activate({
  'countersign.yaml': `${deskConfig}routing:
  - { when: { path: 'notes/high*' }, risk: high }
`,
  'workers/scribe.md': deskWorker.replace('zones:', 'tools: { ask_person: {} }\nzones:'),
})

let file = 0
const newNote = (name = 'in-run') => `notes/${name}-${++file}.md`
const askToWrite = (...paths: string[]) =>
  ask(
    desk,
    paths.map((path) => writeCall(path, 'A note\n')),
    'Notes.',
  )
const callOf = (page: Page, path: string) => page.locator('.call', { hasText: path })
const formOf = (page: Page, path: string) => page.getByRole('region', { name: path, exact: false })
const openCall = (page: Page, path: string) =>
  callOf(page, path)
    .getByRole('button', { name: /^Decide #\d+$/ })
    .click()

test('a person who may decide approves a call at its place in the run, with the same form as on its page', async () => {
  const path = newNote()
  const { runId, requestIds, callIds } = await askToWrite(path)
  const page = await dashboard.open('Grace', `/runs/${runId}`)
  await openCall(page, path)
  const form = formOf(page, path)
  await form.getByText('A note', { exact: true }).waitFor()
  const title = form.getByRole('heading', { level: 2 }).first()
  expect(await title.evaluate((it) => it === document.activeElement)).toBe(true)
  const labels = await form
    .getByRole('radio')
    .evaluateAll((radios) => radios.map((radio) => (radio as HTMLInputElement).value))
  expect(labels).toEqual(['deny', 'stop', 'approve', 'edit'])
  expect(await axeProblems(page)).toEqual([])
  await form.getByRole('radio', { name: 'Approve as shown' }).check()
  expect(await form.getByRole('button', { name: 'Submit and next' }).count()).toBe(0)
  await form.getByRole('button', { name: 'Submit', exact: true }).click()
  await form.getByText('Approved by you').waitFor()
  expect(await statesOf(db, requestIds)).toEqual(['approved'])
  await desk.execute(callIds[0]!)
  await callOf(page, path).getByText('approved by Grace').waitFor()
  await form.getByRole('button', { name: 'Close' }).click()
  await form.waitFor({ state: 'detached' })
  expect(await callOf(page, path).evaluate((it) => it === document.activeElement)).toBe(true)
  expect(page.url()).toContain(runId)
})

test('a denial at the call reaches the run with its reason', async () => {
  const path = newNote()
  const { runId, requestIds } = await askToWrite(path)
  const page = await dashboard.open('Linus', `/runs/${runId}`)
  await openCall(page, path)
  const form = formOf(page, path)
  await form.getByRole('radio', { name: 'Deny', exact: true }).waitFor()
  await page.keyboard.press('m')
  await page.keyboard.type('See the plan')
  await form.getByRole('button', { name: 'Comment', exact: true }).click()
  await form.getByText('See the plan').waitFor()
  await form.getByRole('radio', { name: 'Deny', exact: true }).check()
  await form.getByLabel('Reason').fill('the other folder')
  await form.getByRole('button', { name: 'Submit', exact: true }).click()
  await form.getByText('Denied by you').waitFor()
  await callOf(page, path)
    .getByText(/, denied by Linus (just now|1 minute ago)/)
    .waitFor()
  expect(await statesOf(db, requestIds)).toEqual(['denied'])
  await form.getByRole('link', { name: /^All of #/ }).click()
  await page.getByText('the other folder').first().waitFor()
})

test('a call is claimed and snoozed in its form, by key too, and the menu returns the focus to it', async () => {
  const path = newNote()
  const { runId, requestIds } = await askToWrite(path)
  const page = await dashboard.open('Grace', `/runs/${runId}`)
  await openCall(page, path)
  const form = formOf(page, path)
  await form.getByRole('button', { name: 'Claim', exact: true }).waitFor()
  await page.keyboard.press('c')
  await form.getByRole('button', { name: 'Release' }).waitFor()
  await page.keyboard.press('h')
  await page.getByRole('menu').getByText('Snooze for you only').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  // The menu returns it a moment after it has gone.
  await expect.poll(() => form.evaluate((it) => it.contains(document.activeElement))).toBe(true)
  await page.keyboard.press('h')
  await page.keyboard.press('1')
  await form.getByRole('button', { name: 'Snoozed' }).waitFor()
  expect(await statesOf(db, requestIds)).toEqual(['pending'])
})

test('A opens the first call that waits for the reader and decides it as on its page, the next call opens, and Z takes its denial back during the pause', async () => {
  const [first, second] = [newNote(), newNote()]
  const { runId, requestIds } = await askToWrite(first, second)
  const page = await dashboard.open('Grace', `/runs/${runId}`)
  await callOf(page, second)
    .getByRole('button', { name: /^Decide #/ })
    .waitFor()
  await page.keyboard.press('a')
  await formOf(page, first).getByRole('radio', { name: 'Approve as shown' }).waitFor()
  await page.keyboard.press('a')
  await page.keyboard.press('a')
  const bars = page.getByRole('region', { name: 'Decisions being sent' })
  await bars.getByText(/Sending in \d s. Not recorded yet./).waitFor()
  const next = formOf(page, second)
  await next.getByRole('radio', { name: 'Deny', exact: true }).waitFor()
  const title = next.getByRole('heading', { level: 2 }).first()
  expect(await title.evaluate((it) => it === document.activeElement)).toBe(true)
  expect(await statesOf(db, requestIds)).toEqual(['pending', 'pending'])
  await page.keyboard.press('d')
  await page.keyboard.press('d')
  await next.getByText('Deny: not recorded yet').waitFor()
  await page.keyboard.press('z')
  await next.getByRole('radio', { name: 'Deny', exact: true }).waitFor()
  await bars.getByText('Recorded.').waitFor()
  expect(await statesOf(db, requestIds)).toEqual(['approved', 'pending'])
  await page.keyboard.press('Escape')
  await next.waitFor({ state: 'detached' })
  const button = callOf(page, second).getByRole('button', { name: /^Decide #/ })
  expect(await button.evaluate((it) => it === document.activeElement)).toBe(true)
})

test('leaving the run sends at once what waits to be sent', async () => {
  const path = newNote()
  const { runId, requestIds } = await askToWrite(path)
  const page = await dashboard.open('Grace', `/runs/${runId}`)
  await openCall(page, path)
  await formOf(page, path).getByRole('radio', { name: 'Deny', exact: true }).waitFor()
  await page.keyboard.press('d')
  await page.keyboard.press('d')
  await formOf(page, path).getByText('Deny: not recorded yet').waitFor()
  await page.getByRole('link', { name: 'Runs', exact: true }).first().click()
  await expect.poll(() => statesOf(db, requestIds)).toEqual(['denied'])
})

test('high risk is submitted at the call by neither the same key twice nor Enter, and only after all of it was on the screen', async () => {
  const path = newNote('high')
  const lines = Array.from({ length: 200 }, (_, at) => `Line ${at}\n`).join('')
  const { runId, requestIds } = await ask(desk, [writeCall(path, lines)], 'A note.')
  const page = await dashboard.open('Grace', `/runs/${runId}`)
  // The conversation shows the beginning of a long effect, its form all of it.
  const rest = page.getByRole('button', { name: /^Show the 100 lines that are left/ })
  await rest.waitFor()
  await openCall(page, path)
  const form = formOf(page, path)
  await form.getByText('Line 199', { exact: true }).waitFor({ state: 'attached' })
  expect(await rest.count()).toBe(0)
  await form.getByRole('radio', { name: 'Approve as shown' }).waitFor()
  for (const key of ['d', 'a', 'a', 'Enter']) await page.keyboard.press(key)
  await form.getByRole('radio', { name: 'Approve as shown', checked: true }).waitFor()
  await form.getByLabel('Reason').fill('checked')
  expect(await form.getByRole('button', { name: 'Submit', exact: true }).isDisabled()).toBe(true)
  expect(await statesOf(db, requestIds)).toEqual(['pending'])
})

// Rules: product.md 7
test('a decision of somebody else is shown with its person, and the typed note stays', async () => {
  const path = newNote()
  const { runId, requestIds } = await askToWrite(path)
  const page = await dashboard.open('Linus', '/')
  await page.route('**/v1/events', (route) => route.abort())
  await page.goto(`${dashboard.url}/runs/${runId}`)
  await openCall(page, path)
  const form = formOf(page, path)
  await form.getByRole('radio', { name: 'Approve as shown' }).check()
  await form.getByLabel('Reason').fill('matches the plan')
  await desk.decide(desk.people.grace, requestIds[0]!, { decision: 'deny', reason: 'wrong file' })
  await form.getByRole('button', { name: 'Submit', exact: true }).click()
  const notice = form.getByRole('alert').filter({ hasText: 'Already denied by Grace' })
  await notice.waitFor()
  expect(await notice.textContent()).toContain('Your approval was not recorded.')
  await form.getByText('matches the plan').waitFor()
  expect(await statesOf(db, requestIds)).toEqual(['denied'])
})

test('a person who may not decide a call reads who can, and has neither form nor keys; the person who started the run reads that it is theirs', async () => {
  const path = newNote()
  const { runId, requestIds } = await askToWrite(path)
  for (const [name, words] of [
    ['Olga', 'Grace, Linus can decide it'],
    ['Ada', 'Grace, Linus can decide it. You started the run.'],
  ] as const) {
    const page = await dashboard.open(name, `/runs/${runId}`)
    await callOf(page, path).getByText(words).waitFor()
    expect(await page.getByRole('button', { name: /^Decide #/ }).count()).toBe(0)
    for (const key of ['a', 'a', 'd', 'd']) await page.keyboard.press(key)
    expect(await page.getByRole('radio').count()).toBe(0)
  }
  expect(await statesOf(db, requestIds)).toEqual(['pending'])
})

test('a question is answered at its call by who started the run', async () => {
  const question = 'Which file is the right one?'
  const call = { tool: 'ask_person', input: { question, choices: ['README.md', 'CHANGES.md'] } }
  const { runId, requestIds } = await ask(desk, [call], 'I ask.')
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  await page.getByText('Waits for an answer', { exact: true }).first().waitFor()
  await page.getByText('Waits for an answer from Ada, Grace, Linus.').waitFor()
  await page.getByRole('link', { name: '1 to answer' }).waitFor()
  await page.getByRole('button', { name: /^Answer #\d+$/ }).click()
  // The whole form is on the screen, above the box of messages.
  const submit = page.getByRole('button', { name: 'Submit', exact: true })
  const composer = page.locator('.composer')
  const room = async () =>
    ((await composer.boundingBox())?.y ?? 0) - ((await submit.boundingBox())?.y ?? Infinity)
  await expect.poll(room).toBeGreaterThan(0)
  await page.getByRole('radio', { name: 'README.md' }).check()
  await page.keyboard.press('Control+Enter')
  await page.getByText('The agent reads your answer').first().waitFor()
  await expect.poll(() => statesOf(db, requestIds)).toEqual(['approved'])
})

test('a question stands once in its run on a phone, and its whole form is on the screen before what does not answer it', async () => {
  const question = 'Which of both files is the newer one?'
  const call = { tool: 'ask_person', input: { question, choices: ['README.md', 'CHANGES.md'] } }
  const { runId } = await ask(desk, [call], 'I ask.')
  const options = { viewport: phone, hasTouch: true }
  const page = await dashboard.open('Ada', `/runs/${runId}`, options)
  await page.getByRole('button', { name: /^Answer #\d+$/ }).tap()
  const form = page.getByRole('region', { name: question })
  const submit = form.getByRole('button', { name: 'Submit', exact: true })
  const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { y: 0, height: 0 }
  const endOf = async (part: Locator) => (await boxOf(part)).y + (await boxOf(part)).height
  const room = async () => (await boxOf(page.locator('.composer'))).y - (await endOf(submit))
  await expect.poll(room).toBeGreaterThanOrEqual(0)
  const title = form.getByRole('heading', { level: 2 }).first()
  expect((await boxOf(title)).y).toBeGreaterThanOrEqual(await endOf(page.locator('.header')))
  expect((await boxOf(form.getByRole('button', { name: 'Snooze' }))).y).toBeGreaterThan(
    await endOf(submit),
  )
  await form.locator('.fact', { hasText: 'Can answer' }).getByText('Grace').waitFor()
  const texts = page.locator('main').getByText(question).filter({ visible: true })
  expect(await texts.count()).toBe(1)
  // One of several lines is read before it is answered.
  const long = { question: 'Which one?\nThe newer one, or both?' }
  const second = await ask(desk, [{ tool: 'ask_person', input: long }], 'I ask more.')
  await page.goto(`${dashboard.url}/runs/${second.runId}`)
  await page.getByRole('button', { name: /^Answer #\d+$/ }).tap()
  const shown = page.getByRole('region', { name: 'All that will happen' })
  await shown.getByText('The newer one, or both?').waitFor()
  expect(await endOf(shown)).toBeLessThan(
    (await boxOf(page.getByRole('textbox', { name: /^Answer/ }))).y,
  )
})

test('an element with the focus is never behind the message box, also in a form at a call and below a long draft', async () => {
  const runId = await desk.start({ conversation: true })
  for (let turn = 1; turn <= 10; turn += 1) {
    const input = { path: `scratch/focus-${turn}.md`, content: 'Text\n' }
    desk.say({ text: `I write file ${turn}.`, calls: [{ tool: 'write_file', input }] })
    await desk.perform(await desk.turn(runId, turn))
  }
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  await page.getByText('I write file 10.').waitFor()
  const closed = await tabThrough(page)
  expect(closed.hidden).toEqual([])
  expect(closed.stops).toBeGreaterThan(20)
  const question = { question: 'Which of the files is wrong?', choices: ['The first', 'None'] }
  desk.say({ text: 'I ask.', calls: [{ tool: 'ask_person', input: question }] })
  await desk.turn(runId, 11)
  await page.getByRole('button', { name: /^Answer #\d+$/ }).click()
  // The form takes the focus once it is there.
  const title = formOf(page, 'Which of the files').getByRole('heading', { level: 2 }).first()
  await expect.poll(() => title.evaluate((it) => it === document.activeElement)).toBe(true)
  await page.getByRole('textbox', { name: 'Message' }).fill('A line\n'.repeat(8))
  const opened = await tabThrough(page)
  expect(opened.hidden).toEqual([])
  expect(opened.names).toEqual(expect.arrayContaining(['INPUT']))
})

/** Goes from the turns to the message by Tab; `hidden`: what ends below the top of its box. */
async function tabThrough(page: Page) {
  await page.locator('#timeline-title').focus()
  const hidden: string[] = []
  const names: string[] = []
  for (let stops = 0; stops < 80; stops += 1) {
    await page.keyboard.press('Tab')
    const step = await page.evaluate(() => {
      const at = document.activeElement
      const composer = document.querySelector('.composer')
      if (at === null || composer === null || composer.contains(at)) return null
      const isHidden = at.getBoundingClientRect().bottom > composer.getBoundingClientRect().top
      return { isHidden, name: at.tagName, text: at.textContent }
    })
    if (step === null) return { hidden, names, stops }
    names.push(step.name)
    if (step.isHidden) hidden.push(`${stops} ${step.name} ${step.text}`)
  }
  throw new Error('Tab did not lead to the message')
}

test('Ctrl+Enter in the message box sends the message and decides nothing', async () => {
  const path = newNote()
  const { runId, requestIds } = await askToWrite(path)
  const page = await dashboard.open('Olga', `/runs/${runId}`)
  // Olga manages runs, and may decide this one by another configuration.
  await desk.activate({
    'countersign.yaml': deskConfig.replace(
      'linus@example.com]',
      'linus@example.com, olga@example.com]',
    ),
  })
  const own = newNote()
  const later = await askToWrite(own)
  await page.goto(`${dashboard.url}/runs/${later.runId}`)
  await openCall(page, own)
  await formOf(page, own).getByRole('radio', { name: 'Approve as shown' }).check()
  const box = page.getByRole('textbox', { name: 'Message' })
  await box.fill('Only this one')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Only this one').first().waitFor()
  await expect.poll(() => box.inputValue()).toBe('')
  expect(await statesOf(db, [...requestIds, ...later.requestIds])).toEqual(['pending', 'pending'])
})

test('the form at the call is no wider than the screen of a phone, and nothing of it covers something else', async () => {
  const path = newNote()
  const { runId } = await ask(desk, [writeCall(path, 'A line\n'.repeat(90))], 'Notes.')
  const page = await dashboard.open('Grace', `/runs/${runId}`, { viewport: phone })
  await openCall(page, path)
  await formOf(page, path).getByRole('radio', { name: 'Approve as shown' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  const form = formOf(page, path)
  const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { y: 0, height: 0 }
  const heading = await boxOf(form.getByRole('heading', { name: 'What will happen' }))
  const note = await boxOf(form.getByRole('button', { name: /not seen yet/ }))
  expect(note.y).toBeGreaterThanOrEqual(heading.y + heading.height)
  const close = form.getByRole('button', { name: 'Close' }).locator('.mantine-Button-label')
  expect(await close.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0)
})

test('the inbox begins with what the reader can decide: a question for them is above calls that others decide', async () => {
  const path = newNote('oporto')
  await askToWrite(path)
  const input = { question: 'Is oporto the port?' }
  await ask(desk, [{ tool: 'ask_person', input }], 'I ask.')
  const page = await dashboard.open('Ada', '/?q=oporto')
  const rows = page.locator('.request-row')
  await rows.nth(1).waitFor()
  expect(await rows.first().innerText()).toContain(input.question)
  await page.goto(`${dashboard.url}/?q=oporto&sort=age`)
  await rows.nth(1).waitFor()
  expect(await rows.first().innerText()).toContain(path)
})
