import { expect, test } from 'vitest'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { aWrite, faultProject } from './fault-project.ts'
import { FaultWorld } from './fault-world.ts'
import { journalOf } from './journal.ts'

const hands = `---
name: hands
description: Leaves acting to people
model: script:scripts/hands.yaml
zones: [{ name: notes, root: ./notes, mode: rw, approval: { read: ask, write: ask } }]
tools: { act_freely: { manual: true } }
---
Play the script.
`

const script = { turns: [{ text: '', calls: [aWrite('notes/by-model.md')] }, { text: 'Done.' }] }
const more = { 'workers/hands.md': hands, 'scripts/hands.yaml': JSON.stringify(script) }
const world = disposeAfterTests(await FaultWorld.start(faultProject({}, more)))

async function invoke(runId: string, input: Record<string, unknown>): Promise<string> {
  const ada = await world.as('ada')
  const called = await ada.post(`/v1/runs/${runId}/calls`, { tool: 'act_freely', input })
  expect(called).toMatchObject({ status: 201 })
  return (called.body as { callId: string }).callId
}

/** The messages by which calls of people entered a run. */
async function entered(runId: string): Promise<number> {
  const rows = await world.sql(
    'select from manual_call where run_id = $1 and message_id is not null',
    [runId],
  )
  return rows.length
}

// Rules: product.md 5
test('a person’s call runs while the model’s own waits, and its result is there for the next turn', async () => {
  const runId = await world.startRun('hands')
  const request = await world.onlyWaiting(runId)
  const callId = await invoke(runId, { how: 'wait', forMs: 1 })
  await waitUntil(async () => (await entered(runId)) === 1)
  expect(await journalOf(world, callId)).toMatchObject({ begun: 1, ended: 1 })
  await world.decide(request)
  await world.untilRun(runId, 'completed')
})

test('kill -9 of the Temporal worker in the middle of it: it acts once, a person is asked, then the run hears', async () => {
  const runId = await world.startRun('hands')
  const request = await world.onlyWaiting(runId)
  const callId = await invoke(runId, { how: 'until', mark: 'never.txt' })
  await waitUntil(async () => (await journalOf(world, callId)).begun === 1)
  await world.installation.killNine('temporal-worker')
  await world.untilSql(
    'select state from execution where call_id = $1',
    [callId],
    'unknown',
    90_000,
  )
  const check = (await world.waiting(runId, 2)).find((one) => one.id !== request.id)
  const grace = await world.as('grace')
  const settled = { ran: false, then: 'continue', reason: 'looked' }
  expect(await grace.post(`/v1/requests/${check?.id}/settle`, settled)).toMatchObject({
    status: 200,
  })
  await waitUntil(async () => (await entered(runId)) === 1)
  expect(await journalOf(world, callId)).toMatchObject({ begun: 1, ended: 0 })
  await world.decide(request)
  await world.untilRun(runId, 'completed')
}, 240_000)

test('kill -9 of the API as it answers: the call is made once, however often it is sent with its key', async () => {
  const runId = await world.startRun('hands')
  const request = await world.onlyWaiting(runId)
  const ada = await world.as('ada')
  const key = { 'idempotency-key': 'by-hand' }
  const body = { tool: 'act_freely', input: { how: 'wait', forMs: 1 } }
  const sent = ada.post(`/v1/runs/${runId}/calls`, body, key).catch(() => null)
  await waitUntil(
    async () =>
      (await world.sql('select from manual_call where run_id = $1', [runId])).length === 1,
  )
  await world.installation.killNine('api')
  await sent
  await waitUntil(async () => {
    const again = await ada.post(`/v1/runs/${runId}/calls`, body, key).catch(() => null)
    return again?.status === 201
  })
  await waitUntil(async () => (await entered(runId)) === 1)
  const calls = await world.sql<{ call_id: string }>(
    'select call_id from manual_call where run_id = $1',
    [runId],
  )
  expect(calls).toHaveLength(1)
  expect(await journalOf(world, calls[0]?.call_id ?? '')).toMatchObject({ begun: 1, ended: 1 })
  await world.decide(request)
  await world.untilRun(runId, 'completed')
}, 240_000)
