import { beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { rowOf, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { ModelAnswer } from '#models/model.ts'
import { beginRun } from '../lifecycle/begin-run.ts'
import { cancelRun } from '../lifecycle/cancel-run.ts'
import { closeRun } from '../lifecycle/close-run.ts'
import { messageRun } from '../../runs/message-run.ts'
import { readTranscript } from '../../runs/reading/transcript.ts'
import { getRequest } from '../../requests/detail/get-request.ts'
import { startRun } from '../../runs/starting/start-run.ts'
import { settleUnknown } from '../executions/settle-unknown.ts'
import { enterManualResult } from './enter-result.ts'
import { invokeTool } from './invoke-tool.ts'
import { listManualTools } from './list-manual-tools.ts'
import { withManualCalls } from './open-manual-calls.ts'

const manual = deskWorker.replace('---\nYou', 'tools:\n  write_file: { manual: true }\n---\nYou')
const note = { path: 'notes/release.md', content: 'released\n' }
const draft = { path: 'scratch/draft.txt', content: 'draft\n' }

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({ 'workers/scribe.md': manual })

beforeEach(() => {
  desk.steps.length = 0
  desk.executed.length = 0
  desk.modelRequests.length = 0
})

async function invoke(
  runId: string,
  input: JsonObject,
  more: { tool?: string; key?: string } = {},
) {
  const { ada } = desk.people
  const { tool = 'write_file', key } = more
  const named = key === undefined ? {} : { idempotencyKey: key }
  return invokeTool(desk.api, ada.caller, { runId, tool, input, ...named })
}

async function runState(runId: string): Promise<string> {
  const run = await rowOf(desk.database.db, 'run', { id: runId })
  return run.state
}

async function transcript(runId: string) {
  return readTranscript(desk.api, desk.people.ada.caller, runId)
}

describe('a manual tool', () => {
  // Rules: product.md 5
  test('is not offered to the model, and a model that names it gets an error', async () => {
    desk.say({ calls: [{ tool: 'write_file', input: note }] })
    const { runId } = await desk.startTurn()
    expect(desk.modelRequests[0]?.tools.map((tool) => tool.name)).not.toContain('write_file')
    const [call] = await desk.calls(runId, 1)
    expect(call).toMatchObject({ verdict: 'error', text: expect.stringContaining('Only a person') })
  })

  // Rules: product.md 5
  test('runs at once where policy pre-approves it, and its result is a message to the model', async () => {
    const runId = await desk.start()
    const called = await invoke(runId, draft)
    expect(called).toMatchObject({ verdict: 'preApproved', requestId: null })
    expect(await withManualCalls(desk.database.db, runId)).toEqual({
      manualCalls: [called.callId],
    })
    expect(await desk.execute(called.callId)).toEqual({ kind: 'done' })
    await enterManualResult(desk.worker, { callId: called.callId })
    expect(await desk.read('scratch/draft.txt')).toBe('draft\n')
    expect(await withManualCalls(desk.database.db, runId)).toEqual({})
    await desk.turn(runId, 1)
    const texts = desk.modelRequests[0]?.messages.map((message) =>
      'text' in message ? message.text : '',
    )
    expect(texts?.at(-1)).toMatch(/A person \("ada.*invoked the tool write_file.*draft\.txt/is)
    expect((await transcript(runId)).find((item) => item.calls.length > 0)).toMatchObject({
      role: 'user',
      turn: 1,
      author: { id: desk.people.ada.id },
      calls: [{ tool: 'write_file', manual: true, result: { type: 'output' } }],
    })
  })

  // Rules: product.md 5, 17
  test('that asks is decided by another person: not by the one who invoked it, whoever started the run', async () => {
    const { ada, grace, olga } = desk.people
    const started = await startRun(desk.api, grace.caller, { worker: 'scribe', input: 'Go' })
    const called = await invokeTool(desk.api, olga.caller, {
      runId: started.id,
      tool: 'write_file',
      input: note,
    })
    const requestId = called.requestId ?? ''
    expect(await runState(started.id)).toBe('waiting_for_approval')
    const request = await getRequest(desk.api, ada.caller, { request: requestId })
    expect(request).toMatchObject({ invokedBy: { id: olga.id }, turn: 0, agentReason: null })
    expect(request.batch).toMatchObject({ position: 1, size: 1, siblings: [] })
    const principals = await rowsOf(
      desk.database.db,
      'request_principal',
      { request_id: requestId },
      'person_id',
      'why',
    )
    expect(principals).toContainEqual({ person_id: olga.id, why: 'invoked' })
    await expect(desk.decide(grace, requestId)).rejects.toMatchObject({ code: 'not_eligible' })
    expect(await desk.execute(called.callId)).toMatchObject({
      kind: 'wait',
      requestIds: [requestId],
    })
    await desk.decide(ada, requestId)
    expect(await desk.execute(called.callId)).toEqual({ kind: 'done' })
    expect(await desk.read('notes/release.md')).toBe('released\n')
  })

  // Rules: product.md 15
  test('does not wait for the calls of the model, nor do those wait for it', async () => {
    await desk.activate({ 'workers/scribe.md': manual.replace('write_file:', 'delete_file:') })
    desk.say({ calls: [{ tool: 'write_file', input: { path: 'notes/own.md', content: 'own\n' } }] })
    await desk.write('scratch/old.txt', 'old\n')
    const { runId, turn } = await desk.startTurn()
    expect(await desk.perform(turn)).toMatchObject([{ kind: 'wait' }])
    const called = await invoke(runId, { path: 'scratch/old.txt' }, { tool: 'delete_file' })
    expect(await desk.execute(called.callId)).toEqual({ kind: 'done' })
    const waiting = await invoke(runId, { path: 'scratch/draft.txt' }, { tool: 'delete_file' })
    const [own] = await desk.calls(runId, 1)
    await desk.decide(desk.people.grace, own?.requestId ?? '')
    expect(await desk.execute(own?.id ?? '')).toEqual({ kind: 'done' })
    expect(await desk.execute(waiting.callId)).toEqual({ kind: 'done' })
    await desk.activate({ 'workers/scribe.md': manual })
  })

  test('executed twice at the same time, and again after a crash, acts once and reports once', async () => {
    const runId = await desk.start()
    const { callId } = await invoke(runId, { path: 'scratch/once.txt', content: 'once\n' })
    await Promise.all([desk.execute(callId), desk.execute(callId)])
    await settleUnknown(desk.worker, { callId })
    await desk.execute(callId)
    await Promise.all([
      enterManualResult(desk.worker, { callId }),
      enterManualResult(desk.worker, { callId }),
    ])
    await enterManualResult(desk.worker, { callId })
    expect(desk.executed).toEqual(['write_file'])
    const entered = (await transcript(runId)).filter((item) => item.calls.length > 0)
    expect(entered).toHaveLength(1)
  })

  // Rules: security.md 29
  test('with an unknown outcome is not settled by the person who made it, though its row names another one', async () => {
    const { ada, grace } = desk.people
    const runId = await desk.start()
    const { callId } = await invoke(runId, { path: 'scratch/lost.txt', content: 'lost\n' })
    const reached = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    desk.beforeExecute = async () => {
      reached.resolve()
      await held.promise
    }
    const executing = desk.execute(callId)
    await reached.promise
    await setRows(desk.database.db, 'manual_call', { call_id: callId }, { invoked_by: grace.id })
    const settled = await settleUnknown(desk.worker, { callId })
    const [check] = settled.kind === 'wait' ? settled.requestIds : []
    const behind = await rowsOf(
      desk.database.db,
      'request_principal',
      { request_id: check ?? '', why: 'invoked' },
      'person_id',
      'why',
    )
    expect(behind).toContainEqual({ person_id: ada.id, why: 'invoked' })
    held.resolve()
    desk.beforeExecute = async () => undefined
    await executing
  })

  test('keeps a run open until its result is a message, and wakes a run that waits for input', async () => {
    const runId = await desk.start()
    let callId = ''
    const invoking = async (): Promise<ModelAnswer> => {
      ;({ callId } = await invoke(runId, { path: 'scratch/late.txt', content: 'late\n' }))
      return { text: 'Done.', calls: [], usage: { inputTokens: 1, outputTokens: 1 } }
    }
    desk.say(invoking, { text: 'I see.' })
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'finished' })
    expect(await closeRun(desk.worker, { runId })).toEqual({ kind: 'continue' })
    const waits = { kind: 'waiting_for_input', manualCalls: [callId] }
    expect(await desk.turn(runId, 2)).toEqual(waits)
    expect(await beginRun(desk.worker, { runId })).toMatchObject({ manualCalls: [callId] })
    await desk.execute(callId)
    await enterManualResult(desk.worker, { callId })
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'ended' })
    expect(await closeRun(desk.worker, { runId })).toEqual({ kind: 'closed' })
  })

  // Rules: product.md 8
  test('that is denied with stop lets the run rest until somebody posts a message', async () => {
    const { ada, grace } = desk.people
    desk.say({ text: 'Done.' })
    const runId = await desk.start()
    const called = await invoke(runId, { ...note, content: 'not today\n' })
    const stop = { decision: 'deny', then: 'stop', reason: 'not today' } as const
    await desk.decide(grace, called.requestId ?? '', stop)
    await desk.execute(called.callId)
    await enterManualResult(desk.worker, { callId: called.callId })
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'waiting_for_input' })
    expect(await runState(runId)).toBe('waiting_for_input')
    expect(desk.modelRequests).toHaveLength(0)
    await messageRun(desk.api, ada.caller, { runId, text: 'Go on' })
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'ended' })
    const texts = desk.modelRequests[0]?.messages.map((message) =>
      'text' in message ? message.text : '',
    )
    expect(texts?.join('\n')).toMatch(/ended as "denied".*not today/s)
  })

  test('whose run is cancelled leaves the queue and never runs', async () => {
    const { ada, grace } = desk.people
    const runId = await desk.start()
    const called = await invoke(runId, { ...note, content: 'never\n' })
    await cancelRun(desk.api, ada.caller, { runId })
    await expect(desk.decide(grace, called.requestId ?? '')).rejects.toMatchObject({
      code: 'cancelled',
    })
    expect(await desk.execute(called.callId)).toEqual({ kind: 'ended' })
    await enterManualResult(desk.worker, { callId: called.callId })
    expect(desk.executed).toEqual([])
    await expect(invoke(runId, note)).rejects.toMatchObject({ code: 'run_ended' })
  })
})

describe('invoking a tool is refused', () => {
  test.each([
    ['that is the model’s', 'read_file', {}, 'tool', /people invoke manual tools only/],
    ['that does not exist', 'deploy', {}, 'tool', /There is no tool "deploy"; one of "write_file"/],
    [
      'with an invalid input',
      'write_file',
      { path: 3 },
      'input',
      /Invalid input for write_file: .*; content: is missing$/,
    ],
    [
      'where the worker could not act',
      'write_file',
      { path: 'src/a.ts', content: '' },
      'input',
      /is read-only/,
    ],
  ])('%s, and the refusal names the field', async (_why, tool, input, field, sentence) => {
    const runId = await desk.start()
    await expect(invoke(runId, input, { tool })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(sentence),
      facts: { field },
    })
    expect(await withManualCalls(desk.database.db, runId)).toEqual({})
  })

  test('for a tool that policy blocks, and the trail has who tried', async () => {
    const runId = await desk.start()
    const input = { path: 'notes/.env.md', content: '' }
    await desk.activate({
      'workers/scribe.md': `${manual.replace('write: ask', 'write: blocked')}`,
    })
    await expect(invoke(runId, input)).rejects.toMatchObject({ code: 'policy_blocked' })
    await desk.activate({ 'workers/scribe.md': manual })
    const rows = await rowsOf(
      desk.database.db,
      'audit_event',
      { run_id: runId, type: 'call.judged' },
      'document',
    )
    const documents = rows.map(({ document }) => JSON.parse(document) as JsonObject)
    expect(documents).toMatchObject([
      {
        actor: { type: 'person', id: desk.people.ada.id },
        detail: { verdict: 'blocked', manual: true },
      },
    ])
  })

  test('to people who may not steer the run, and to keys', async () => {
    const { ada, grace } = desk.people
    const runId = await desk.start()
    const calling = { runId, tool: 'write_file', input: draft }
    await expect(invokeTool(desk.api, grace.caller, calling)).rejects.toMatchObject({
      code: 'not_found',
    })
    const key = {
      actor: { type: 'machine', id: 'key', name: 'ci', ownerId: ada.id },
      channel: 'api',
    } as const
    await expect(invokeTool(desk.api, key, calling)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(listManualTools(desk.api, grace.caller, runId)).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('beyond twenty open calls', async () => {
    const runId = await desk.start()
    for (let count = 0; count < 20; count += 1) await invoke(runId, draft)
    await expect(invoke(runId, draft)).rejects.toMatchObject({ code: 'conflict' })
  })
})

test('the manual tools of a run are listed with their schemas', async () => {
  const runId = await desk.start()
  const tools = await listManualTools(desk.api, desk.people.ada.caller, runId)
  expect(tools).toMatchObject([
    { name: 'write_file', inputSchema: { type: 'object', required: ['path', 'content'] } },
  ])
})

test('a repeated key gets the same call, also when its run has ended and no host judges it', async () => {
  const runId = await desk.start()
  const first = await invoke(runId, draft, { key: 'k1' })
  expect(await invoke(runId, draft, { key: 'k1' })).toEqual(first)
  await cancelRun(desk.api, desk.people.ada.caller, { runId })
  const judgeRemotely = () => Promise.reject(new Error('no host is there'))
  const repeated = { runId, tool: 'write_file', input: draft, idempotencyKey: 'k1' }
  const { ada } = desk.people
  expect(await invokeTool({ ...desk.api, judgeRemotely }, ada.caller, repeated)).toEqual(first)
  await expect(invoke(runId, note, { key: 'k1' })).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  })
})
