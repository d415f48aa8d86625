import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { slowModel } from '../../harness/fixtures/models/slow-model.ts'
import { openDashboard } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())

/** Whether an element ends above the field for messages, which covers the end of the page. */
const isAboveComposer = (element: Locator): Promise<boolean> =>
  element.evaluate((it) => {
    const composer = document.querySelector('.composer')!.getBoundingClientRect()
    const { bottom, top } = it.getBoundingClientRect()
    return top < composer.top && bottom <= composer.top
  })

test('what the model writes is on the page before its step is over, and its stored message takes its place', async () => {
  const { desk } = dashboard
  const model = slowModel()
  desk.say(model.step)
  const runId = await desk.start()
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  const writing = page.getByRole('article', { name: 'The model is writing' })
  const turn = desk.turn(runId, 1)
  await model.say('I read the ')
  await writing.getByText('I read the').waitFor()
  // The text comes from outside, so nothing in it is markup.
  await model.say('log <img src=x onerror="document.title=1"> first.')
  await writing.getByText('I read the log <img src=x').waitFor()
  expect(await page.title()).not.toBe('1')
  // Bold, code, lists, tables and headings are drawn while they come.
  await model.say('\n\nIt has **three** parts.')
  await writing.locator('.markdown strong').getByText('three').waitFor()
  model.end()
  await turn
  await page.getByText('Completed').first().waitFor()
  await writing.waitFor({ state: 'detached' })
  expect(await page.getByText('I read the log').count()).toBeGreaterThan(0)
  expect(dashboard.complaints).toEqual([])
})

test('the page follows a text while the model writes it, unless its reader has scrolled up', async () => {
  const { desk } = dashboard
  const model = slowModel()
  desk.say(model.step)
  const runId = await desk.start({ conversation: true })
  const page = await dashboard.open('Ada', `/runs/${runId}`)
  const writing = page.getByRole('article', { name: 'The model is writing' })
  const turn = desk.turn(runId, 1)
  await model.say('The first line.\n')
  await writing.getByText('The first line.').waitFor()
  // The person has clicked on the page: what moves now is the text alone.
  await page.getByRole('heading', { level: 1 }).click()
  const lines = (first: number) =>
    Array.from({ length: 40 }, (_, at) => `Line ${first + at}\n`).join('\n')
  await model.say(lines(0))
  await writing.getByText('Line 39').waitFor()
  await expect.poll(() => isAboveComposer(writing)).toBe(true)
  await page.mouse.wheel(0, -3_000)
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0)
  await model.say(lines(40))
  await writing.getByText('Line 79').waitFor()
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
  model.end()
  await turn
})
