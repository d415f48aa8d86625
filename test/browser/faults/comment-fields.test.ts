import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { commentRequest } from '#services/requests/comment-request.ts'
import { editComment } from '#services/requests/change-comment.ts'
import { getRequest } from '#services/requests/detail/get-request.ts'
import { reviseRequest } from '#services/revising/revise-request.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { ask, openDashboard } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())
const { desk } = dashboard

let file = 0
/** A change of the second of two lines of a file. */
async function askForChange() {
  file += 1
  const path = `notes/fields-${file}.md`
  await desk.write(path, 'first\nsecond\n')
  const input = { path, content: 'first\nchanged\n' }
  const { runId, requestIds } = await ask(desk, [{ tool: 'write_file', input }], 'A change.')
  return { path, runId, id: requestIds[0]! }
}

async function linusChanges(request: string, path: string, content?: string) {
  const { linus } = desk.people
  const { digest } = await getRequest(desk.api, linus.caller, { request })
  const input = { path, content: content ?? 'first\nchanged by Linus\n' }
  await reviseRequest(desk.api, linus.caller, { request, input, digest, revision: 1 })
}

const live = (page: Page) => page.locator('[data-state="live"]').waitFor()

/** Whether an element is where it was, has the focus, and has its text. */
async function placeOf(field: Locator) {
  const { y } = (await field.boundingBox()) ?? { y: null }
  const isActive = await field.evaluate((it) => it === document.activeElement)
  return { y, isActive, text: await field.inputValue() }
}

async function writeAtLine(page: Page, within: Page | Locator): Promise<Locator> {
  await within.locator('.diff-gutter-insert').last().click()
  const field = within.getByLabel('Comment on new line 2')
  await field.waitFor()
  await page.keyboard.type('Why this word?')
  return field
}

// Rules: product.md 41
test('an unsaved comment at a line keeps its place when a colleague changes the call, and is saved at the lines then on the screen', async () => {
  const { id, path } = await askForChange()
  const { grace, linus } = desk.people
  const anchor = { file: path, side: 'new', line: 1 } as const
  await commentRequest(desk.api, linus.caller, { request: id, text: 'A remark above', anchor })
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await live(page)
  const field = await writeAtLine(page, page)
  const before = await placeOf(field)
  await linusChanges(id, path)
  await page.getByText('This changed meanwhile: show the new revision first.').waitFor()
  await page.getByText('This changed since you opened it').first().waitFor()
  expect(await placeOf(field)).toEqual(before)
  const save = page.getByRole('button', { name: 'Comment on the line' })
  expect(await save.isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Show the new revision' }).first().click()
  await page.getByText('changed by Linus').first().waitFor()
  expect(await field.inputValue()).toBe('Why this word?')
  await save.click()
  await field.waitFor({ state: 'detached' })
  const { comments } = await getRequest(desk.api, grace.caller, { request: id })
  expect(comments.map(({ text, anchor: at }) => [text, at?.line])).toEqual([
    ['A remark above', 1],
    ['Why this word?', 2],
  ])
})

test.each(['saved without the line', 'cancelled'])(
  'an unsent comment at a line that the new revision does not show stays in view, and can be %s',
  async (end) => {
    const { id, path } = await askForChange()
    const page = await dashboard.open('Grace', `/requests/${id}`)
    await live(page)
    await writeAtLine(page, page)
    await linusChanges(id, path, 'one line by Linus\n')
    await page.getByText('This changed meanwhile: show the new revision first.').waitFor()
    const lost = page.getByLabel('Your comment on new line 2, which is not shown any more')
    expect(await lost.count()).toBe(0)
    await page.getByRole('button', { name: 'Show the new revision' }).first().click()
    await lost.waitFor()
    expect(await lost.inputValue()).toBe('Why this word?')
    await expect.poll(() => lost.evaluate((it) => it === document.activeElement)).toBe(true)
    const isSaved = end === 'saved without the line'
    const button = isSaved ? 'Comment without the line' : 'Cancel'
    await page.getByRole('button', { name: button }).click()
    await lost.waitFor({ state: 'detached' })
    const { caller } = desk.people.grace
    const { comments } = await getRequest(desk.api, caller, { request: id })
    expect(comments.map(({ text, anchor }) => [text, anchor])).toEqual(
      isSaved ? [['Why this word?', null]] : [],
    )
    const drafts = () => Object.keys(sessionStorage).filter((key) => key.includes('.draft.'))
    expect(await page.evaluate(drafts)).toEqual([])
  },
)

test('a comment at a line that was not sent is offered after a reload, at its line and where a new revision has no such line', async () => {
  const { id, path } = await askForChange()
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await live(page)
  const field = await writeAtLine(page, page)
  await page.reload()
  await page.getByText('Your comment on new line 2 is not sent.').waitFor()
  const go = page.getByRole('button', { name: 'Continue the comment' })
  await go.click()
  await field.waitFor()
  expect(await placeOf(field)).toMatchObject({ isActive: true, text: 'Why this word?' })
  await linusChanges(id, path, 'one line by Linus\n')
  await page.reload()
  await go.click()
  const lost = page.getByLabel('Your comment on new line 2, which is not shown any more')
  await lost.waitFor()
  expect(await placeOf(lost)).toMatchObject({ isActive: true, text: 'Why this word?' })
  await page.getByRole('button', { name: 'Cancel' }).click()
  await lost.waitFor({ state: 'detached' })
  expect(await go.count()).toBe(0)
})

test('a comment that was begun at a line of a new file is continued there after a reload, also far below and among folded blank lines', async () => {
  const lines = Array.from({ length: 2_400 }, (_, index) => `line ${index + 1}`)
  const content = `${lines.join('\n')}${'\n'.repeat(21)}end\n`
  const input = { path: 'notes/far.md', content }
  const { requestIds } = await ask(desk, [{ tool: 'write_file', input }], 'A long file.')
  const page = await dashboard.open('Grace', `/requests/${requestIds[0]}`)
  await live(page)
  await page.getByRole('button', { name: /the 421 lines that are left/ }).click()
  await page.getByRole('button', { name: '20 blank lines (show them)' }).click()
  const line = page.locator('.code-line[data-line="2410"]')
  await line.locator('.code-number').click()
  const field = page.getByLabel('Comment on new line 2410', { exact: true })
  await field.waitFor()
  await page.keyboard.type('Why blank?')
  await page.reload()
  await page.getByRole('button', { name: 'Continue the comment' }).click()
  await field.waitFor()
  await expect.poll(() => placeOf(field)).toMatchObject({ isActive: true, text: 'Why blank?' })
  expect(await page.getByLabel(/which is not shown any more/).count()).toBe(0)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await field.waitFor({ state: 'detached' })
  expect(await line.count()).toBe(1)
})

test('an unsent comment in a change set keeps its place too, and is there after a reload until it is cancelled', async () => {
  const { id, path, runId } = await askForChange()
  const page = await dashboard.open('Grace', `/runs/${runId}/turns/1`)
  await live(page)
  const card = page.getByRole('article').first()
  const field = await writeAtLine(page, card)
  const before = await placeOf(field)
  await linusChanges(id, path)
  await card.getByText('This changed meanwhile: show the new revision first.').waitFor()
  expect(await placeOf(field)).toEqual(before)
  await page.reload()
  await card.getByText('changed by Linus').first().waitFor()
  await card.locator('.diff-gutter-insert').last().click()
  await expect.poll(() => field.inputValue().catch(() => '')).toBe('Why this word?')
  await card.getByRole('button', { name: 'Cancel' }).click()
  await card.locator('.diff-gutter-insert').last().click()
  await field.waitFor()
  expect(await field.inputValue()).toBe('')
})

test('a comment that comes with a new revision is drawn at the lines of that revision, and at no earlier ones', async () => {
  const { id, path } = await askForChange()
  const { caller } = desk.people.grace
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await live(page)
  await linusChanges(id, path)
  await page.getByText('This changed since you opened it').first().waitFor()
  // Another tab of Grace, which shows the new lines.
  const anchor = { file: path, side: 'new', line: 2 } as const
  await commentRequest(desk.api, caller, { request: id, text: 'By whom?', anchor })
  await page.getByRole('region', { name: 'Comments' }).getByText('By whom?').waitFor()
  const notes = page.locator('.line-comment')
  expect(await notes.count()).toBe(0)
  await page.getByRole('button', { name: 'Show the new revision' }).first().click()
  await page.getByText('changed by Linus').first().waitFor()
  await notes.getByText('By whom?').waitFor()
})

test('a person who writes at a line keeps text and place when a colleague decides, and reads that nobody gets the text', async () => {
  const { id } = await askForChange()
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await live(page)
  const field = await writeAtLine(page, page)
  const before = await placeOf(field)
  await desk.decide(desk.people.linus, id, { decision: 'deny', reason: 'not today' })
  await page.getByText('It no longer waits: the agent does not read this.').waitFor()
  expect(await placeOf(field)).toEqual(before)
  const save = page.getByRole('button', { name: 'Comment on the line' })
  expect(await save.isDisabled()).toBe(true)
})

test('an edit that a person began does not replace unseen what they saved elsewhere since', async () => {
  const { id } = await askForChange()
  const { caller } = desk.people.grace
  const { id: comment } = await commentRequest(desk.api, caller, { request: id, text: 'First' })
  const page = await dashboard.open('Grace', `/requests/${id}`)
  const comments = page.getByRole('region', { name: 'Comments' })
  const field = comments.getByRole('textbox', { name: 'Text of the comment' })
  const edit = async (): Promise<string> => {
    await comments.getByRole('button', { name: 'Edit' }).click()
    return field.inputValue()
  }
  await edit()
  await field.fill('First, half of')
  await page.reload()
  expect(await edit()).toBe('First, half of')
  await editComment(desk.api, caller, { request: id, comment, text: 'Second' })
  await page.reload()
  await comments.getByText('Second').waitFor()
  expect(await edit()).toBe('Second')
  await live(page)
  await field.fill('Second, from here')
  await editComment(desk.api, caller, { request: id, comment, text: 'Third' })
  await comments.getByText('You saved this elsewhere meanwhile: “Third”.').waitFor()
  expect(await field.inputValue()).toBe('Second, from here')
})

test('a person who edits a comment keeps the text and the place of the field when a colleague decides', async () => {
  const { id } = await askForChange()
  const { grace, linus } = desk.people
  for (const text of ['The first', 'The second']) {
    await commentRequest(desk.api, grace.caller, { request: id, text })
  }
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await live(page)
  const comments = page.getByRole('region', { name: 'Comments' })
  await comments.getByRole('button', { name: 'Edit' }).last().click()
  const field = comments.getByRole('textbox', { name: 'Text of the comment' })
  await field.fill('The second, with more')
  const before = await placeOf(field)
  await desk.decide(linus, id, { decision: 'deny', reason: 'not today' })
  await page
    .getByText(/denied by Linus/i)
    .first()
    .waitFor()
  expect(await placeOf(field)).toEqual(before)
  expect(await comments.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  expect(await comments.getByRole('button', { name: 'Edit' }).isDisabled()).toBe(true)
})

test('the palette submits the decision although a field for a comment was opened after it, and offers nothing to submit on an ended request', async () => {
  const { id } = await askForChange()
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await live(page)
  const palette = page.getByRole('dialog')
  const submit = palette.getByRole('button', { name: /^Submit(?! and next)/ })
  await page.getByRole('radio', { name: 'Deny', exact: true }).check()
  await writeAtLine(page, page)
  await page.getByLabel('Reason').fill('not so')
  await page.keyboard.press('Control+k')
  await submit.click()
  const read = () => getRequest(desk.api, desk.people.grace.caller, { request: id })
  await expect.poll(async () => (await read()).state).toBe('denied')
  expect((await read()).comments).toEqual([])
  await page.goto(`${dashboard.url}/requests/${id}`)
  await page.getByRole('region', { name: 'Comments' }).waitFor()
  await page.keyboard.press('Control+k')
  await palette.getByRole('button', { name: /^Write a comment/ }).waitFor()
  expect(await submit.count()).toBe(0)
})
