import { beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskWorker, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import type { RunMode } from '#domain/policy/verdict.ts'
import { listGrants } from '../../grants/list-grants.ts'
import { settleUnknown } from '../../engine/executions/settle-unknown.ts'
import { startRun } from './start-run.ts'
import { verifyRun } from '../../core/verify-run.ts'
import { writeCall } from '#test/harness/fixtures/runs/file-calls.ts'

const desk = disposeAfterTests(await openAgentDesk())
await desk.write('notes/there.md', 'there\n')

beforeEach(async () => {
  desk.steps.length = 0
  desk.executed.length = 0
  desk.beforeExecute = async () => undefined
  await desk.activate({ 'workers/scribe.md': deskWorker })
  await desk.write('scratch/free.txt', 'before\n')
})

const free = { tool: 'write_file', input: { path: 'scratch/free.txt', content: 'x\n' } }
const blocked = { tool: 'delete_file', input: { path: 'notes/there.md' } }

async function startIn(mode: RunMode): Promise<string> {
  const start = { worker: 'scribe', input: 'Go', mode }
  return (await startRun(desk.api, desk.people.olga.caller, start)).id
}

async function verdictsAndResults(runId: string) {
  return (await desk.calls(runId, 1)).map((call) => [call.verdict, call.result])
}

async function requestsOf(runId: string) {
  const query = desk.database.db.selectFrom('request').selectAll().where('run_id', '=', runId)
  return query.execute()
}

const scratchAsks = deskWorker.replace('approval: { write: preApproved', 'approval: { write: ask')
const notesBlock = deskWorker.replace('write: ask', 'write: blocked')

// Rules: product.md 21
describe('strict', () => {
  test('denies calls that ask and names itself, runs pre-approved ones, and does not change a block', async () => {
    desk.say({ calls: [writeCall('notes/a.md'), free, blocked] })
    const runId = await startIn('strict')
    await desk.perform(await desk.turn(runId, 1))
    const calls = await desk.calls(runId, 1)
    expect(calls.map((call) => call.result)).toEqual(['denied', 'output', 'blocked'])
    expect(calls[0]?.text).toContain('"strict"')
    expect(calls[2]?.text).not.toContain('strict')
    expect(await requestsOf(runId)).toEqual([])
  })

  test('denies a call if policy asks about it by the time it would run', async () => {
    desk.say({ calls: [free] })
    const runId = await startIn('strict')
    const turn = await desk.turn(runId, 1)
    await desk.activate({ 'workers/scribe.md': scratchAsks })
    await desk.perform(turn)
    const [call] = await desk.calls(runId, 1)
    expect(call).toMatchObject({ result: 'denied', text: expect.stringContaining('"strict"') })
    expect(desk.executed).toEqual([])
    expect(await requestsOf(runId)).toEqual([])
  })
})

// Rules: product.md 21
describe('approve_all', () => {
  test('does not run calls that policy blocks, when they are judged and once more when they would run', async () => {
    desk.say({ calls: [blocked, writeCall('notes/later.md')] })
    const runId = await startIn('approve_all')
    const turn = await desk.turn(runId, 1)
    expect((await desk.calls(runId, 1)).map((call) => call.verdict)).toEqual([
      'blocked',
      'preApproved',
    ])
    await desk.activate({ 'workers/scribe.md': notesBlock })
    await desk.perform(turn)
    expect((await desk.calls(runId, 1)).map((call) => call.result)).toEqual(['blocked', 'blocked'])
    expect(desk.executed).toEqual([])
  })

  test('approves a call if policy asks about it by the time it runs, and keeps the rule', async () => {
    desk.say({ calls: [free] })
    const runId = await startIn('approve_all')
    const turn = await desk.turn(runId, 1)
    await desk.activate({ 'workers/scribe.md': scratchAsks })
    await desk.perform(turn)
    expect(await verdictsAndResults(runId)).toEqual([['preApproved', 'output']])
    const { rule } = await rowOf(desk.database.db, 'tool_call', { run_id: runId })
    expect(rule?.id).toBe('mode:approve_all')
  })

  test('asks nobody when a file changed meanwhile, and stores no approval', async () => {
    desk.say({ calls: [writeCall('notes/there.md')] })
    const runId = await startIn('approve_all')
    const turn = await desk.turn(runId, 1)
    await desk.write('notes/there.md', 'changed\n')
    await desk.perform(turn)
    expect(await verdictsAndResults(runId)).toEqual([['preApproved', 'output']])
    expect(await desk.read('notes/there.md')).toBe('x\n')
    expect(await requestsOf(runId)).toEqual([])
    expect(await listGrants(desk.api, desk.people.olga.caller, { runId })).toEqual([])
  })

  test('settles no outcome: a person is asked about a call that may have run all the same', async () => {
    desk.say({ calls: [writeCall('notes/lost.md')] })
    const runId = await startIn('approve_all')
    const turn = await desk.turn(runId, 1)
    const callId = turn.kind === 'calls' ? (turn.calls[0]?.callId ?? '') : ''
    const started = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    desk.beforeExecute = async () => {
      started.resolve()
      await held.promise
    }
    const running = desk.execute(callId)
    await started.promise
    await settleUnknown(desk.worker, { callId })
    expect(await requestsOf(runId)).toMatchObject([{ kind: 'outcome_check', state: 'pending' }])
    held.resolve()
    await running
  })

  test('requires its right, is signed into the run statement, and recorded with its starter', async () => {
    const start = { worker: 'scribe', input: 'Go', mode: 'approve_all' } as const
    const refused = await refusal(startRun(desk.api, desk.people.ada.caller, start))
    expect(refused.code).toBe('mode_not_permitted')
    const runId = await startIn('approve_all')
    const run = await rowOf(desk.database.db, 'run', { id: runId })
    const { olga } = desk.people
    const signed = { mode: 'approve_all', startedBy: olga.id }
    expect(verifyRun(desk.worker.verifier, run)).toMatchObject(signed)
    expect(verifyRun(desk.worker.verifier, { ...run, mode: 'prompt' })).toBeNull()
    const event = await rowOf(desk.database.db, 'audit_event', {
      run_id: runId,
      type: 'run.started',
    })
    expect(event.actor_id).toBe(olga.id)
    expect(JSON.parse(event.document)).toMatchObject({ detail: { mode: 'approve_all' } })
  })
})
