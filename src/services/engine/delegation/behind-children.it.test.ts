import { beforeEach, describe, expect, test } from 'vitest'
import { writeCall } from '#test/harness/fixtures/runs/file-calls.ts'
import { refusedTo } from '#test/harness/fixtures/runs/refused-to.ts'
import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import type { TestPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf, rowsOf } from '#test/harness/fixtures/rows.ts'
import { reviseRequest } from '../../revising/revise-request.ts'
import { getRequest } from '../../requests/detail/get-request.ts'
import { startRun } from '../../runs/starting/start-run.ts'
import { admitRun } from '../lifecycle/admit-run.ts'
import { invokeTool } from '../manual-calls/invoke-tool.ts'
import { waitedFor } from './delegation.fixture.ts'

const desk = disposeAfterTests(await openAgentDesk())
const { ada, grace, linus, olga } = desk.people
// Olga may invoke tools in other people's runs, by manageRuns, and approve calls.
const lead = deskWorker.replace('name: scribe', 'name: lead\nworkers: [scribe, pal]')
const config = deskConfig
  .replace(
    'linus@example.com] }',
    'linus@example.com, olga@example.com] }\n  pair: { members: [ada@example.com, olga@example.com] }',
  )
  .replace('queues:', 'queues:\n  pair: { team: pair }')
const files = {
  'countersign.yaml': config,
  'workers/pal.md': deskWorker.replace('name: scribe', 'name: pal\nqueue: pair'),
  'workers/lead.md': lead,
  'workers/chief.md': lead
    .replace('name: lead', 'name: chief')
    .replace('---\nYou', 'tools:\n  call_worker: { manual: true }\n---\nYou'),
}
await desk.activate(files)

beforeEach(() => {
  desk.steps.length = 0
})

const delegation = { worker: 'scribe', input: 'Write the notes' }
const whyBehind =
  'you triggered the schedule, or invoked or changed the call, that started this run or one above it'
let written = 0

/** A request of the child that a delegating call started. */
async function requestOfChild(callId: string): Promise<string> {
  const childId = waitedFor(await desk.execute(callId))
  expect(await admitRun(desk.api, { runId: childId })).toBe(true)
  const path = `notes/${(written += 1)}.md`
  return (await proposeCall(desk, childId, 1, writeCall(path, `${path}\n`))).requestId
}

/** Lets somebody change the task of a call of Ada's run that delegates and waits for a decision. */
async function changeTask(who: TestPerson, input = delegation) {
  const { id } = await startRun(desk.api, ada.caller, { worker: 'lead', input: 'Go' })
  const call = await proposeCall(desk, id, 1, { tool: 'call_worker', input })
  const waiting = call.requestId
  const { digest } = await getRequest(desk.api, who.caller, { request: waiting })
  await reviseRequest(desk.api, who.caller, {
    request: waiting,
    input: { ...input, input: `Write what ${who.name} wants` },
    revision: 1,
    digest,
  })
  return { id, callId: call.id, waiting }
}

// Rules: product.md 17, 23
describe('behind every request of a child run', () => {
  test('is the person who invoked the call that started it, in a run of somebody else', async () => {
    const { id } = await startRun(desk.api, ada.caller, { worker: 'chief', input: 'Go' })
    const { callId, requestId } = await invokeTool(desk.api, olga.caller, {
      runId: id,
      tool: 'call_worker',
      input: delegation,
    })
    await desk.decide(grace, requestId ?? '')
    const request = await requestOfChild(callId)
    expect(await refusedTo(desk, olga, request)).toContain(whyBehind)
    await refusedTo(desk, ada, request)
    await desk.decide(grace, request)
  })

  test('is the person who changed the task of the call that started it', async () => {
    const { callId, waiting } = await changeTask(grace)
    await desk.decide(linus, waiting, { revision: 2 })
    const request = await requestOfChild(callId)
    expect(await refusedTo(desk, grace, request)).toContain(whyBehind)
    await desk.decide(linus, request)
  })

  test('is not the person who changed its task where the queue lets editors approve', async () => {
    await desk.activate({
      ...files,
      'countersign.yaml': config.replace(
        '{ team: platform }',
        '{ team: platform, edits: approve }',
      ),
    })
    const { callId, waiting } = await changeTask(grace)
    await desk.decide(grace, waiting, { revision: 2 })
    const request = await requestOfChild(callId)
    await desk.decide(grace, request)
    expect(await rowOf(desk.database.db, 'request', { id: request }, 'state')).toEqual({
      state: 'approved',
    })
    await desk.activate(files)
  })
})

// Rules: product.md 22, 23, 42
describe('a child run whose requests nobody but those behind it could decide does not start', () => {
  const toPal = { worker: 'pal', input: 'Write the notes' }

  test('where the only one who could decide them invokes the call', async () => {
    const { id } = await startRun(desk.api, ada.caller, { worker: 'chief', input: 'Go' })
    const call = { runId: id, tool: 'call_worker', input: toPal }
    const refused = await refusal(invokeTool(desk.api, olga.caller, call))
    expect(refused.message).toContain('pair')
  })

  test('where the only one who could decide them changed its task', async () => {
    const { id, callId, waiting } = await changeTask(olga, toPal)
    await desk.decide(linus, waiting, { revision: 2 })
    expect(await desk.execute(callId)).toEqual({ kind: 'done' })
    expect(await rowsOf(desk.database.db, 'run', { parent_run_id: id }, 'id')).toEqual([])
  })
})
