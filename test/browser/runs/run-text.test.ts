import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { slowModel } from '../../harness/fixtures/models/slow-model.ts'
import { openDashboard } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())

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
  model.end()
  await turn
  await page.getByText('Completed').first().waitFor()
  await writing.waitFor({ state: 'detached' })
  expect(await page.getByText('I read the log').count()).toBeGreaterThan(0)
  expect(dashboard.complaints).toEqual([])
})
