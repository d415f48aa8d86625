import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { openDashboard, phone } from '../open-dashboard.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'

const dashboard = disposeAfterTests(await openDashboard())
const { desk } = dashboard

/** The request of a run with this task. */
async function askFor(task: string, path: string): Promise<string> {
  desk.say({ text: 'A note.', calls: [{ tool: 'write_file', input: { path, content: 'Text\n' } }] })
  const { runId } = await desk.startTurn({ input: task })
  const [call] = await desk.calls(runId, 1)
  return call?.requestId ?? ''
}

/** As wide as the narrowest phones. */
const small = { width: 320, height: 640 }
const task = 'Write the notes of 1.2, with what customers have to change before they upgrade'

// Rules: product.md 38
test('a task that is cut on a phone is shown whole on demand, and on a wide screen nothing asks for it', async () => {
  const id = await askFor(task, 'notes/folded.md')
  const page = await dashboard.open('Grace', `/requests/${id}`, { viewport: phone })
  const words = page.getByRole('region', { name: 'Task' }).locator('.task-words')
  await words.waitFor()
  const isCut = () => words.evaluate((it) => it.scrollHeight > it.clientHeight + 1)
  expect(await isCut()).toBe(true)
  await page.getByRole('button', { name: 'Show all of the task' }).click()
  await page.getByRole('button', { name: 'Show less' }).waitFor()
  expect(await isCut()).toBe(false)
  await page.getByRole('button', { name: 'Show less' }).click()
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('button', { name: 'Show all of the task' }).waitFor({ state: 'detached' })
  expect(await isCut()).toBe(false)
})

test('a long task is drawn in part while it is folded, and in steps when it is opened', async () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => `part ${index + 1}`)
  const id = await askFor(lines.join('\n'), 'notes/long-task.md')
  const page = await dashboard.open('Grace', `/requests/${id}`)
  const region = page.getByRole('region', { name: 'Task' })
  await region.waitFor()
  const characters = async () => (await region.textContent())?.length
  expect(await characters()).toBeLessThan(5_000)
  await page.getByRole('button', { name: 'Show all of the task' }).click()
  await region.getByText('part 2000', { exact: true }).waitFor()
  await region.getByRole('button', { name: /the 1,000 lines that are left/ }).click()
  await region.getByText('part 3000', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Show less' }).click()
  await expect.poll(characters).toBeLessThan(5_000)
})

/** What the browser shows when the pointer rests on the middle of an element. */
async function tooltipOver(part: Locator): Promise<string> {
  await part.scrollIntoViewIfNeeded()
  return part.evaluate((it) => {
    const { x, y, width, height } = it.getBoundingClientRect()
    const top = document.elementFromPoint(x + width / 2, y + height / 2)
    return top?.closest('[title]')?.getAttribute('title') ?? ''
  })
}

// Rules: security.md 17
test('the effect and the task of a row are whole under the pointer, with what is invisible named', async () => {
  const path = `notes/${'long '.repeat(25)}file.md`
  await askFor(`${task} \u202E${'and more '.repeat(10)}`, path)
  const page = await dashboard.open('Grace', '/')
  const row = page.locator('.request-row', { hasText: 'long long' })
  const whole = await tooltipOver(row.locator('.request-link'))
  expect(whole).toMatch(/long file\.md [^\n]*\n/)
  const purpose = /upgrade \[U\+202E RIGHT-TO-LEFT OVERRIDE\](and more ){9}/
  expect(whole).toMatch(purpose)
  expect(await tooltipOver(row.locator('.task-line'))).toBe(whole)
  await page.goto(`${dashboard.url}/runs`)
  const run = page.locator('.run-link', { hasText: 'and more' })
  expect(await tooltipOver(run)).toMatch(purpose)
})

test('the description of a tool that is cut is shown whole on demand', async () => {
  const page = await dashboard.open('Grace', '/policy', { viewport: small })
  const form = page.getByRole('region', { name: 'Explain a call' })
  await form.getByLabel('Tool').selectOption('read_file')
  const words = form.locator('p', { hasText: 'Read lines of a text file.' })
  const isCut = () => words.evaluate((it) => it.scrollHeight > it.clientHeight + 1)
  await expect.poll(isCut).toBe(true)
  await form.getByRole('button', { name: 'Show all of the description' }).click()
  expect(await isCut()).toBe(false)
  await form.getByLabel('Tool').selectOption('delete_file')
  await words.waitFor({ state: 'detached' })
  expect(await form.getByRole('button', { name: /^Show (all|less)/ }).count()).toBe(0)
})
