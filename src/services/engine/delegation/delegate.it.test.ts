import { describe, expect, test } from 'vitest'
import type { CallOutcome } from '#domain/runs/workflow-outcomes.ts'
import { findIdleRuns } from '#delivery/reconciling/find-idle-runs.ts'
import { retiredMeanwhile } from '#test/harness/fixtures/keys/retired-meanwhile.ts'
import { rowOf, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { settleUnknown } from '../executions/settle-unknown.ts'
import { cancelRun } from '../lifecycle/cancel-run.ts'
import { closeRun } from '../lifecycle/close-run.ts'
import { readChanges } from '../../runs/reading/read-changes.ts'
import { getRun } from '../../runs/reading/get-run.ts'
import { messageRun } from '../../runs/message-run.ts'
import { readTranscript } from '../../runs/reading/transcript.ts'
import { admitRun } from '../lifecycle/admit-run.ts'
import {
  desk,
  useDelegationDesk,
  delegating,
  delegated,
  waitedFor,
  row,
  requestsOf,
  outbox,
  finish,
} from './delegation.fixture.ts'

useDelegationDesk()

describe('a delegation', () => {
  test('includes the changes of the child in those of the run, for people who may see the child', async () => {
    const { runId, childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    const input = { path: 'scratch/reviewed.md', content: 'Reviewed\n' }
    desk.say({ calls: [{ tool: 'write_file', input }] })
    await desk.perform(await desk.turn(childId, 1))
    const changes = (who = desk.people.ada) => readChanges(desk.api, who.caller, { runId })
    expect((await changes()).items).toMatchObject([
      { path: 'scratch/reviewed.md', change: 'added' },
    ])
    expect((await changes(desk.people.grace)).items).toEqual([])
  })

  test('asks, and shows the target, the input and no attachment', async () => {
    const { requestId } = await delegating()
    const request = await rowOf(desk.database.db, 'request', { id: requestId })
    expect(request).toMatchObject({ kind: 'tool_call', tool: 'call_worker', risk: 'medium' })
    expect(request.title).toBe('Call worker reviewer: Review it')
  })

  // Rules: product.md 23; security.md 13
  test('approved writes the child unsigned with its call, and the relay signs it once', async () => {
    const { runId, callId, childId } = await delegated()
    expect(await row(childId)).toMatchObject({
      parent_run_id: runId,
      parent_call_id: callId,
      root_run_id: runId,
      signature: '',
      mode: 'prompt',
      started_by: desk.people.ada.id,
    })
    expect(await outbox(childId)).toEqual(['start_run'])
    expect(await admitRun(desk.api, { runId: childId })).toBe(true)
    const { signature } = await row(childId)
    expect(signature).not.toBe('')
    expect(await admitRun(desk.api, { runId: childId })).toBe(true)
    expect((await row(childId)).signature).toBe(signature)
    expect((await desk.auditTypes(childId)).filter((type) => type === 'run.started')).toHaveLength(
      1,
    )
  })

  test('comes back with the last words of the child as its result, once it has ended', async () => {
    const { runId, callId, childId, outcome } = await delegated()
    await admitRun(desk.api, { runId: childId })
    expect(waitedFor(await desk.execute(callId))).toBe(childId)
    await finish(childId, 'Two "typos".')
    expect(await outbox(runId)).toContain('signal_child_ended')
    expect(await desk.perform(outcome)).toEqual([{ kind: 'done' }])
    const [call] = await desk.calls(runId, 1)
    expect(call?.result).toBe('output')
    expect(call?.text).toContain(JSON.stringify('Two "typos".'))
    const events = await desk.auditTypes(runId)
    expect(events.filter((type) => type === 'execution.finished')).toHaveLength(1)
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'ended' })
  })

  test('is started and finished once, however often and by however many activities it is requested', async () => {
    const turn = await delegating()
    await desk.decide(desk.people.grace, turn.requestId)
    const starts = await Promise.all([1, 2, 3, 4].map(() => desk.execute(turn.callId)))
    const [childId] = new Set(starts.map(waitedFor))
    const children = await rowsOf(desk.database.db, 'run', { parent_run_id: turn.runId }, 'id')
    expect(children.map(({ id }) => id)).toEqual([childId])
    await Promise.all([1, 2, 3].map(() => admitRun(desk.api, { runId: childId ?? '' })))
    desk.say({ text: 'Done.' })
    await desk.turn(childId ?? '', 1)
    await Promise.all([1, 2].map(() => closeRun(desk.api, { runId: childId ?? '' })))
    const wakes = await outbox(turn.runId)
    expect(wakes.filter((kind) => kind === 'signal_child_ended')).toHaveLength(1)
    await Promise.all([1, 2, 3].map(() => desk.execute(turn.callId)))
    const events = await desk.auditTypes(turn.runId)
    expect(events.filter((type) => type === 'execution.finished')).toHaveLength(1)
  })

  test('whose activity was lost waits for its child, and no person is asked for its outcome', async () => {
    const { callId, childId } = await delegated()
    expect(waitedFor((await settleUnknown(desk.worker, { callId })) as CallOutcome)).toBe(childId)
    const kinds = (await requestsOf(callId)).map((request) => request.kind)
    expect(kinds).toEqual(['tool_call'])
  })

  test('is visible from both ends: children, lineage and the call that waits', async () => {
    const { runId, callId, childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    const { ada } = desk.people
    const parent = await getRun(desk.api, ada.caller, runId)
    expect(parent.children).toEqual([
      { runId: childId, worker: 'reviewer', state: 'running', callId },
    ])
    const child = await getRun(desk.api, ada.caller, childId)
    expect(child.lineage.map((entry) => entry.runId)).toEqual([runId, childId])
    const items = await readTranscript(desk.api, ada.caller, runId)
    expect(items.flatMap((item) => item.calls)[0]?.childRunId).toBe(childId)
  })

  test('keeps the parent waiting while the child waits for input, and the reconciler does not change that', async () => {
    const { runId, callId, childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    await setRows(desk.database.db, 'run', { id: childId }, { state: 'waiting_for_input' })
    expect(waitedFor(await desk.execute(callId))).toBe(childId)
    await desk.database.db.updateTable('outbox').set({ delivered_at: new Date() }).execute()
    const still = await findIdleRuns(desk.database.db, { seconds: 0, maxRuns: 1000 })
    expect(still.map(({ id }) => id)).not.toContain(runId)
    await messageRun(desk.api, desk.people.ada.caller, { runId: childId, text: 'Go on.' })
    await desk.database.db.updateTable('outbox').set({ delivered_at: new Date() }).execute()
    await finish(childId)
    await desk.database.db.updateTable('outbox').set({ delivered_at: new Date() }).execute()
    const woken = await findIdleRuns(desk.database.db, { seconds: 0, maxRuns: 1000 })
    expect(woken.map(({ id }) => id)).toContain(runId)
  })
})

describe('the end of one of them', () => {
  test('cancelling the parent cancels the child, and the call has a result', async () => {
    const { runId, childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    await cancelRun(desk.api, desk.people.ada.caller, { runId })
    expect((await row(childId)).state).toBe('cancelled')
    const [call] = await desk.calls(runId, 1)
    expect(call?.result).toBe('cancelled')
    const attempt = await rowOf(
      desk.database.db,
      'execution',
      { call_id: call?.id ?? '' },
      'state',
      'reason',
    )
    expect(attempt).toEqual({ state: 'failed', reason: 'cancelled' })
    expect(await outbox(childId)).toContain('signal_cancelled')
  })

  test('cancelling the parent before its child was signed starts nothing', async () => {
    const { runId, childId } = await delegated()
    await cancelRun(desk.api, desk.people.ada.caller, { runId })
    expect(await admitRun(desk.api, { runId: childId })).toBe(false)
    expect((await row(childId)).signature).toBe('')
  })

  test('cancelling the child is the result of the call, with the reason as quoted data', async () => {
    const { runId, callId, childId } = await delegated()
    await admitRun(desk.api, { runId: childId })
    const cancelling = { runId: childId, reason: 'not "now"' }
    await cancelRun(desk.api, desk.people.ada.caller, cancelling)
    expect(await outbox(runId)).toContain('signal_child_ended')
    await desk.execute(callId)
    const [call] = await desk.calls(runId, 1)
    expect(call?.result).toBe('cancelled')
    expect(call?.text).toContain(JSON.stringify('not "now"'))
    expect((await row(runId)).state).toBe('running')
  })
})

// Rules: security.md 13
test('a child that is admitted while its key is retired is signed again, and goes on', async () => {
  const { childId } = await delegated()
  await retiredMeanwhile(desk, (db) => admitRun({ ...desk.api, db }, { runId: childId }))
  expect((await row(childId)).key_id).toBe(desk.api.signer.keyId)
  await finish(childId)
  expect((await row(childId)).state).toBe('completed')
})
