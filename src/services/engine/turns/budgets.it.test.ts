import { beforeEach, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import { messageRun } from '../../runs/message-run.ts'
import { getRun } from '../../runs/reading/get-run.ts'

// A step of the desk's model takes 100 tokens in and 10 out: 1 USD.
const prices = `models:
  scripted-by-the-test: { price: { input: 9000, output: 10000 } }
`
const priced = (budgets: string) => ({ 'countersign.yaml': `${deskConfig}${prices}${budgets}` })

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({
  ...priced(''),
  'workers/scribe.md': deskWorker.replace('limits: {', 'limits: { costUsd: 5,'),
  'workers/other.md': deskWorker.replace('name: scribe', 'name: other'),
})

beforeEach(() => {
  desk.steps.length = 0
  desk.modelRequests.length = 0
})

const aRead = { calls: [{ tool: 'list_files', input: { path: '' } }] }
const show = (runId: string) => getRun(desk.api, desk.people.ada.caller, runId)

async function step(runId: string, turn: number): Promise<string> {
  const outcome = await desk.turn(runId, turn)
  if (outcome.kind === 'calls') await desk.perform(outcome)
  return outcome.kind
}

test('a run stops at its own budget in USD after the step that crosses it, and a message gives another', async () => {
  desk.say(aRead, aRead, aRead)
  const runId = await desk.start({ budget: { costUsd: 1.5 } })
  expect([await step(runId, 1), await step(runId, 2)]).toEqual(['calls', 'calls'])
  expect(await step(runId, 3)).toBe('waiting_for_input')
  expect(await show(runId)).toMatchObject({
    rest: 'limit',
    failure: { code: 'limit_cost' },
    usage: { costUsd: 2 },
  })
  await messageRun(desk.api, desk.people.ada.caller, { runId, text: 'On', budget: { costUsd: 1 } })
  expect([await step(runId, 3), await step(runId, 4)]).toEqual(['calls', 'waiting_for_input'])
  expect(desk.modelRequests).toHaveLength(3)
})

test('a budget in USD above the worker’s limit, or of a model without a price, is refused', async () => {
  const above = await refusal(desk.start({ budget: { costUsd: 5.01 } }))
  expect(above.code).toBe('invalid_request')
  expect(above.message).toContain('budget.costUsd is above the limit of scribe, 5')
  const unpriced = deskWorker
    .replace('name: scribe', 'name: unpriced')
    .replace('scripted-by-the-test', 'of-no-price')
  await desk.activate({ 'workers/unpriced.md': unpriced })
  const free = await refusal(desk.start({ worker: 'unpriced', budget: { costUsd: 1 } }))
  expect(free.message).toContain('price')
})

// Rules: product.md 33
test('a monthly budget that is used up starts nothing and stops runs after the step that crossed it', async () => {
  const runId = await desk.start({ worker: 'other' })
  desk.say(aRead, aRead)
  await step(runId, 1)
  expect((await show(runId)).usage.costUsd).toBe(1)
  await desk.activate(priced('budgets: [{ worker: other, period: month, costUsd: 2 }]\n'))
  expect(await step(runId, 2)).toBe('calls')
  expect(await step(runId, 3)).toBe('waiting_for_input')
  expect(await show(runId)).toMatchObject({
    state: 'waiting_for_input',
    rest: 'budget',
    failure: { code: 'budget_exhausted' },
    usage: { costUsd: 2 },
  })
  const refused = await refusal(desk.start({ worker: 'other' }))
  expect(refused.code).toBe('budget_exhausted')
  expect(refused.message).toContain('other, 2 USD')
  // Another worker has budget left, and a message alone adds none.
  expect(await desk.start()).toEqual(expect.any(String))
  await messageRun(desk.api, desk.people.ada.caller, { runId, text: 'Go on' })
  expect(await step(runId, 3)).toBe('waiting_for_input')
  await desk.activate(priced('budgets: [{ worker: "*", period: month, costUsd: 1 }]\n'))
  expect((await refusal(desk.start())).message).toContain('all workers')
  // What an earlier month cost does not count.
  await desk.activate(priced('budgets: [{ worker: other, period: month, costUsd: 2 }]\n'))
  await setRows(
    desk.database.db,
    'turn_attempt',
    { run_id: runId },
    { started_at: new Date(Date.now() - 40 * 86_400_000) },
  )
  await messageRun(desk.api, desk.people.ada.caller, { runId, text: 'Go on' })
  desk.say({ text: 'Done.' })
  await step(runId, 3)
  expect((await show(runId)).state).toBe('completed')
})
