import { afterAll, beforeAll, expect, test } from 'vitest'
import { settleUnknown } from '../../src/services/executions/settle-unknown.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { ask, openDashboard, type Dashboard } from './open-dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await openDashboard()
})
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]()
})

test('in the development profile every page says so and lets one act as another person', async () => {
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
  await page.getByRole('button', { name: 'Post' }).click()
  await page.locator('.turn', { hasText: 'Write about the new inbox' }).waitFor()
  expect(await page.getByRole('textbox').inputValue()).toBe('')
})

test('who is asked what became of a call says so, and only a call that did not run can run again', async () => {
  const { desk } = dashboard
  const input = { path: 'notes/lost.md', content: 'Text\n' }
  const { callIds, requestIds } = await ask(desk, [{ tool: 'write_file', input }], 'A note.')
  const callId = callIds[0]!
  await desk.decide(desk.people.grace, requestIds[0]!)
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  desk.beforeExecute = () => held
  const running = desk.execute(callId)
  const { db } = desk.database
  await waitUntil(
    async () => {
      const query = db.selectFrom('execution').select('state').where('call_id', '=', callId)
      return (await query.executeTakeFirst())?.state === 'started'
    },
    { withinMs: 90_000 },
  )
  const settled = await settleUnknown(desk.worker, { callId })
  const [check] = settled.kind === 'wait' ? settled.requestIds : []
  const page = await dashboard.open('Grace', `/requests/${check}`)
  await page.getByRole('radio', { name: 'Yes, it did' }).check()
  expect(await page.getByRole('radio', { name: 'Carry it out again' }).isEnabled()).toBe(false)
  await page.getByRole('radio', { name: 'No, it did not' }).check()
  expect(await page.getByRole('radio', { name: 'Carry it out again' }).isEnabled()).toBe(true)
  const submit = page.getByRole('button', { name: 'Submit', exact: true })
  await page.getByRole('radio', { name: 'Continue' }).check()
  expect(await submit.isEnabled()).toBe(false)
  await page.getByLabel('Reason').fill('the file is not there')
  await submit.click()
  await page.getByText('The run goes on with what you found out.').waitFor()
  release()
  await running
})
