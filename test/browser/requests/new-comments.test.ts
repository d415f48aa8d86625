import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { CommentAnchor } from '#domain/requests/comment-anchor.ts'
import { commentRequest } from '#services/requests/comment-request.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { askForNote, openDashboard, phone } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())
const { desk } = dashboard

let file = 0
const newNote = () => askForNote(desk, `notes/remarked-${++file}.md`)
async function linusComments(request: string, text: string, anchor?: CommentAnchor) {
  const { linus } = desk.people
  await commentRequest(desk.api, linus.caller, { request, text, ...(anchor && { anchor }) })
}
const live = (page: Page) => page.locator('[data-state="live"]').waitFor()
const tops = (page: Page, parts: string) =>
  page
    .locator(parts)
    .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)))

test('a person who writes a comment at a call sees that a colleague wrote one, and nothing moves', async () => {
  const { id, runId } = await newNote()
  const page = await dashboard.open('Grace', `/runs/${runId}`)
  await live(page)
  await page.getByRole('button', { name: /^Decide #\d+$/ }).click()
  const comments = page.getByRole('group', { name: /^Comments on #/ })
  await page.getByRole('radio', { name: 'Approve as shown' }).waitFor()
  await page.keyboard.press('m')
  await comments.getByRole('textbox').waitFor()
  const parts = '.call-comments, .call-form-decision, .decision-panel input'
  const before = await tops(page, parts)
  await linusComments(id, 'It is Friday')
  const show = comments.getByRole('button', { name: 'Show 1 new comment' })
  await show.waitFor()
  expect(await tops(page, parts)).toEqual(before)
  await show.click()
  await comments.getByText('It is Friday').waitFor()
})

test('M begins a new comment at a call with earlier ones of the same person, and changes none of those', async () => {
  const { id, runId } = await newNote()
  const { grace } = desk.people
  await commentRequest(desk.api, grace.caller, { request: id, text: 'Mine' })
  const page = await dashboard.open('Grace', `/runs/${runId}`)
  await page.getByRole('button', { name: /^Decide #\d+$/ }).click()
  await page
    .getByRole('group', { name: /^Comments on #/ })
    .getByText('Mine')
    .waitFor()
  await page.keyboard.press('m')
  const field = page.locator('textarea:focus')
  await field.waitFor()
  expect(await field.getAttribute('aria-label')).toMatch(/^Comment on #/)
})

test('a person who denies reads beside the reason that a colleague commented, and how many remarks are sent; its key shows them', async () => {
  const { id, path } = await newNote()
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await live(page)
  const panel = page.getByRole('complementary', { name: 'Decision' })
  await panel.getByRole('radio', { name: 'Deny', exact: true }).check()
  await panel.getByText('The agent reads it.').waitFor()
  const parts = '.request-main > *, .request-side input, .request-side textarea'
  const before = await tops(page, parts)
  await linusComments(id, 'Not this line', { file: path, side: 'new', line: 1 })
  await panel.getByRole('button', { name: '1 new comment: show it' }).waitFor()
  await panel.getByText('The agent reads it, and 1 remark on lines.').waitFor()
  expect(await tops(page, parts)).toEqual(before)
  await page.keyboard.press('.')
  await page.getByRole('region', { name: 'Comments' }).getByText('Not this line').waitFor()
  expect(await panel.getByRole('button', { name: /new comment/ }).count()).toBe(0)
  const title = page.getByRole('heading', { name: 'Comments' })
  expect(await title.evaluate((it) => it === document.activeElement)).toBe(true)
})

test('the sheet on a phone announces a colleague’s new comment and leads to it, and a key that was pressed before does not count afterwards', async () => {
  const { id } = await newNote()
  const page = await dashboard.open('Grace', `/requests/${id}`, { viewport: phone })
  await live(page)
  await page.keyboard.press('a')
  const sheet = page.getByRole('dialog', { name: 'Your decision' })
  const reason = sheet.getByLabel('Reason')
  await reason.waitFor()
  const before = await reason.boundingBox()
  await linusComments(id, 'Wait for me')
  const show = sheet.getByRole('button', { name: '1 new comment: show it' })
  await show.waitFor()
  expect(await reason.boundingBox()).toEqual(before)
  await page.screenshot({ path: 'test-results/new-comment-in-sheet.png' })
  await show.click()
  await sheet.waitFor({ state: 'hidden' })
  const comment = page.getByRole('region', { name: 'Comments' }).getByText('Wait for me')
  await comment.waitFor()
  await expect
    .poll(async () => (await comment.boundingBox())?.y ?? Infinity)
    .toBeLessThan(phone.height)
  await page.getByRole('button', { name: 'Decide…' }).click()
  const approve = sheet.getByRole('radio', { name: 'Approve as shown' })
  await approve.waitFor()
  const held = page.getByRole('region', { name: 'Decisions being sent' })
  await page.keyboard.press('a')
  expect(await approve.isChecked()).toBe(true)
  expect(await held.count()).toBe(0)
  await page.keyboard.press('a')
  await held.waitFor()
})
