import { describe, expect, test } from 'vitest'
import type { DeskCall } from '#test/harness/fixtures/agent-desk.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { escalateRouting } from '#domain/deciding/waiting-steps.ts'
import { UncertainChange } from '#domain/tools/uncertain-change.ts'
import { toJsonb } from '#store/database.ts'
import { settleOutcome } from '../../decisions/settle-outcome.ts'
import { getRequest } from '../../requests/detail/get-request.ts'
import { cancelRun } from '../lifecycle/cancel-run.ts'
import type { StopReason } from '../../core/worker-context.ts'
import { executeCall } from './execute-call.ts'
import { settleLostAttempts } from './settle-lost-attempts.ts'
import { settleUnknown } from './settle-unknown.ts'
import {
  anApprovedWrite,
  desk,
  executions,
  newPath,
  onlyCall,
  requestRow,
  useExecutionDesk,
} from './executions.fixture.ts'

useExecutionDesk()

describe('an attempt whose end is unknown', () => {
  /** Starts the call and lets its executor vanish before it stores anything. */
  async function vanishing(): Promise<{
    runId: string
    path: string
    call: DeskCall
    letFinish: () => void
    finished: Promise<unknown>
    /** whether its tool still runs */
    inside: { readonly is: boolean }
  }> {
    const write = await anApprovedWrite()
    const reached = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const inside = { is: true }
    desk.beforeExecute = async (_tool, signal) => {
      signal.addEventListener('abort', () => held.reject(signal.reason), { once: true })
      reached.resolve()
      await held.promise.finally(() => (inside.is = false))
    }
    const finished = desk.execute(write.call.id)
    await reached.promise
    return { ...write, letFinish: () => held.resolve(), finished, inside }
  }

  test('gets an outcome check; its late end closes the check', async () => {
    const { call, runId, path, letFinish, finished } = await vanishing()
    const settled = await settleUnknown(desk.worker, { callId: call.id })
    expect(settled.kind).toBe('wait')
    const check = settled.kind === 'wait' ? (settled.requestIds[0] ?? '') : ''
    expect(await requestRow(check)).toMatchObject({
      kind: 'outcome_check',
      state: 'pending',
      outcome_of: call.requestId,
    })
    expect(await settleUnknown(desk.worker, { callId: call.id })).toMatchObject({
      kind: 'wait',
      requestIds: [check],
    })
    letFinish()
    await finished
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'succeeded', reason: null }])
    expect(await requestRow(check)).toMatchObject({ state: 'cancelled', cancel_reason: 'settled' })
    expect(await onlyCall(runId)).toMatchObject({ result: 'output' })
    expect(await desk.read(path)).toBe('two\n')
  })

  test('gets an outcome check at once, and only one, when its process has certainly ended', async () => {
    const { call, letFinish, finished } = await vanishing()
    const { db } = desk.database
    const checks = () => rowsOf(db, 'request', { outcome_of: call.requestId }, 'kind', 'state')
    expect(await settleLostAttempts(desk.worker, 'another process')).toBe(true)
    expect(await checks()).toEqual([])
    expect(await settleLostAttempts(desk.worker, desk.worker.executor)).toBe(true)
    expect(await checks()).toEqual([{ kind: 'outcome_check', state: 'pending' }])
    // The next start, and the workflow that misses the heartbeats, find it settled.
    expect(await settleLostAttempts(desk.worker, desk.worker.executor)).toBe(true)
    expect(await settleUnknown(desk.worker, { callId: call.id })).toMatchObject({ kind: 'wait' })
    expect(await checks()).toHaveLength(1)
    letFinish()
    await finished
  })

  test('of a call that was approved after an escalation gets an outcome check with the queue’s original quorum', async () => {
    const { call, letFinish, finished } = await vanishing()
    const { db } = desk.database
    const { routing } = await requestRow(call.requestId)
    const widened = toJsonb(escalateRouting(routing, ['operators']))
    await setRows(db, 'request', { id: call.requestId }, { routing: widened })
    const settled = await settleUnknown(desk.worker, { callId: call.id })
    const check = settled.kind === 'wait' ? (settled.requestIds[0] ?? '') : ''
    expect((await requestRow(check)).routing).toMatchObject({
      quorum: routing.quorum,
      quorumText: routing.quorumText,
    })
    letFinish()
    await finished
  })

  test('settled as not carried out and `again` runs once more, under a permit of its own', async () => {
    const { call, runId, letFinish, finished } = await vanishing()
    const lost = await settleUnknown(desk.worker, { callId: call.id })
    const check = lost.kind === 'wait' ? (lost.requestIds[0] ?? '') : ''
    await settleOutcome(desk.api, desk.people.grace.caller, {
      request: check,
      ran: false,
      then: 'again',
      reason: 'the file is not there',
    })
    desk.beforeExecute = async () => undefined
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect((await executions(call.id)).map((one) => [one.attempt, one.state])).toEqual([
      [1, 'failed'],
      [2, 'succeeded'],
    ])
    expect(await onlyCall(runId)).toMatchObject({ result: 'output' })
    letFinish()
    await finished
    expect((await executions(call.id)).map((one) => one.state)).toEqual(['failed', 'succeeded'])
  })

  test('is first ended with all its processes by `again`: the two never run side by side', async () => {
    const { call, finished, inside } = await vanishing()
    const lost = await settleUnknown(desk.worker, { callId: call.id })
    await settleOutcome(desk.api, desk.people.grace.caller, {
      request: lost.kind === 'wait' ? (lost.requestIds[0] ?? '') : '',
      ran: false,
      then: 'again',
      reason: 'nothing is there',
    })
    desk.beforeExecute = async () => expect(inside.is).toBe(false)
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    await finished
    expect(desk.executed).toEqual(['write_file'])
    expect((await executions(call.id)).map((one) => one.state)).toEqual(['failed', 'succeeded'])
  })

  test('is not assumed when a running call is requested twice: both requests get its end', async () => {
    const { call, letFinish, finished } = await vanishing()
    const second = desk.execute(call.id)
    await waitUntil(async () => (await executions(call.id)).length === 1)
    letFinish()
    expect(await Promise.all([finished, second])).toEqual([{ kind: 'done' }, { kind: 'done' }])
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'succeeded', reason: null }])
    expect(desk.executed).toEqual(['write_file'])
  })

  test('settled as carried out is reported so to the model', async () => {
    const { call, runId, letFinish, finished } = await vanishing()
    const lost = await settleUnknown(desk.worker, { callId: call.id })
    await settleOutcome(desk.api, desk.people.grace.caller, {
      request: lost.kind === 'wait' ? (lost.requestIds[0] ?? '') : '',
      ran: true,
      then: 'continue',
      reason: 'it is there',
    })
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await onlyCall(runId)).toMatchObject({ result: 'output' })
    letFinish()
    await finished
  })

  test('of a pre-approved call is an outcome check for the people of the worker, who may answer `again`', async () => {
    const path = newPath('scratch')
    desk.say({ calls: [{ tool: 'write_file', input: { path, content: 'free\n' } }] })
    const { runId } = await desk.startTurn()
    const call = await onlyCall(runId)
    expect(call.verdict).toBe('preApproved')
    desk.beforeExecute = async () => {
      throw new Error('its process died')
    }
    const lost = await desk.execute(call.id)
    const check = lost.kind === 'wait' ? (lost.requestIds[0] ?? '') : ''
    expect(await requestRow(check)).toMatchObject({ kind: 'outcome_check', queue: 'platform' })
    const settling = { request: check, ran: false, then: 'again', reason: 'nothing is there' }
    await expect(settleOutcome(desk.api, desk.people.ada.caller, settling)).rejects.toMatchObject({
      code: 'not_eligible',
    })
    await settleOutcome(desk.api, desk.people.grace.caller, settling)
    desk.beforeExecute = async () => undefined
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await desk.read(path)).toBe('free\n')
    expect((await executions(call.id)).map((one) => one.state)).toEqual(['failed', 'succeeded'])
  })

  test('leads to no outcome check when its run has ended: the result says that it is unknown', async () => {
    const { call, runId, letFinish, finished } = await vanishing()
    await cancelRun(desk.api, desk.people.ada.caller, { runId })
    expect(await onlyCall(runId)).toMatchObject({ result: null })
    expect(await settleUnknown(desk.worker, { callId: call.id })).toEqual({ kind: 'ended' })
    expect(await onlyCall(runId)).toMatchObject({ result: 'unknown' })
    letFinish()
    await finished
    expect(await executions(call.id)).toMatchObject([{ state: 'succeeded' }])
  })

  test('that had not started may be issued again', async () => {
    const { call } = await anApprovedWrite()
    expect(await settleUnknown(desk.worker, { callId: call.id })).toEqual({ kind: 'again' })
    expect(await executions(call.id)).toEqual([])
  })

  /** A run whose only call reads a file, which nobody was asked about. */
  async function aRead(): Promise<{ runId: string; call: DeskCall }> {
    const path = newPath('scratch')
    await desk.write(path, 'read me\n')
    desk.say({ calls: [{ tool: 'read_file', input: { path } }] })
    const { runId } = await desk.startTurn()
    return { runId, call: await onlyCall(runId) }
  }

  test('a read whose host is lost is carried out again, and nobody is asked', async () => {
    const { runId, call } = await aRead()
    const reached = Promise.withResolvers<void>()
    desk.beforeExecute = async (_tool, signal) => {
      reached.resolve()
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    }
    const lost = desk.execute(call.id)
    await reached.promise
    expect(await settleUnknown(desk.worker, { callId: call.id })).toEqual({ kind: 'again' })
    desk.beforeExecute = async () => undefined
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    await lost
    expect((await executions(call.id)).map((one) => one.state)).toEqual(['unknown', 'succeeded'])
    expect(await onlyCall(runId)).toMatchObject({ requestId: '', result: 'output' })
  })

  // Rules: security.md 27
  test('a read whose host was lost twice is not tried a third time: people are asked about it', async () => {
    const { call } = await aRead()
    desk.beforeExecute = async () => {
      throw new Error('its process died')
    }
    const lost = await desk.execute(call.id)
    const check = lost.kind === 'wait' ? (lost.requestIds[0] ?? '') : ''
    expect(await requestRow(check)).toMatchObject({ kind: 'outcome_check', state: 'pending' })
    expect((await executions(call.id)).map((one) => one.state)).toEqual(['unknown', 'unknown'])
  })

  // Rules: security.md 27
  test('a read whose host is lost after refused attempts is carried out again, once', async () => {
    const { call } = await aRead()
    const row = { call_id: call.id, state: 'refused', reason: 'lapsed', epoch: 1 } as const
    await desk.database.db
      .insertInto('execution')
      .values([1, 2, 3].map((attempt) => ({ ...row, attempt })))
      .execute()
    desk.beforeExecute = async () => {
      throw new Error('its process died')
    }
    expect(await desk.execute(call.id)).toMatchObject({ kind: 'wait' })
    const states = (await executions(call.id)).map((one) => one.state)
    expect(states.slice(3)).toEqual(['unknown', 'unknown'])
  })

  test('the outcome check of a call says on which host and in which process it ran', async () => {
    const { call } = await anApprovedWrite()
    desk.beforeExecute = async () => {
      throw new Error('its process died')
    }
    const host = { ...desk.worker, executor: 'vm:26068:9b21c45e-0000-4000-8000-000000000000' }
    const { signal } = new AbortController()
    const lost = await executeCall(host, { callId: call.id, signal })
    const request = lost.kind === 'wait' ? (lost.requestIds[0] ?? '') : ''
    const check = await getRequest(desk.api, desk.people.grace.caller, { request })
    expect(check.presentation.content).toContain('\nOn: the host vm, in process 26068\n')
  })

  test('a tool that ends without a result is unknown, never failed', async () => {
    const { call } = await anApprovedWrite()
    desk.beforeExecute = async () => {
      throw new Error('its process died')
    }
    expect(await desk.execute(call.id)).toMatchObject({ kind: 'wait' })
    expect(await executions(call.id)).toMatchObject([{ attempt: 1, state: 'unknown' }])
  })

  test('a tool that made a change which may not stay says so to the people who are asked', async () => {
    const { call } = await anApprovedWrite()
    const why = '"a.md" was changed, and may not stay so'
    desk.beforeExecute = async () => {
      throw new UncertainChange(why)
    }
    const lost = await desk.execute(call.id)
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'unknown', reason: why }])
    const request = lost.kind === 'wait' ? (lost.requestIds[0] ?? '') : ''
    const check = await getRequest(desk.api, desk.people.grace.caller, { request })
    expect(check.presentation.content).toContain(`nobody knows how it ended (${why})`)
  })
})

describe('stopping', () => {
  async function stopping(
    reason: StopReason,
    stops: boolean,
    before: (runId: string) => Promise<unknown>,
  ) {
    const { call, runId } = await anApprovedWrite()
    const stop = new AbortController()
    const aborts: unknown[] = []
    desk.beforeExecute = async (_tool, signal) => {
      await before(runId)
      stop.abort(reason)
      if (stops) await waitUntil(() => signal.aborted)
      // A refused stop gives no signal: ten queries take longer than the one that refuses it.
      else for (let time = 0; time < 10; time += 1) await desk.calls(runId, 1)
      aborts.push(signal.aborted)
      if (signal.aborted) throw new Error('stopped')
    }
    await executeCall(desk.worker, { callId: call.id, signal: stop.signal })
    return { call, runId, aborts }
  }

  test('a forged cancel stops nothing', async () => {
    const { call, aborts } = await stopping('cancelled', false, async () => undefined)
    expect(aborts).toEqual([false])
    expect(await executions(call.id)).toMatchObject([{ state: 'succeeded' }])
  })

  test('a real cancel stops the tool: failed (cancelled)', async () => {
    const { call, runId, aborts } = await stopping('cancelled', true, (id) =>
      cancelRun(desk.api, desk.people.ada.caller, { runId: id }),
    )
    expect(aborts).toEqual([true])
    expect(await executions(call.id)).toEqual([
      { attempt: 1, state: 'failed', reason: 'cancelled' },
    ])
    expect(await onlyCall(runId)).toMatchObject({ result: 'cancelled' })
  })

  test('a graceful stop of the process stores failed (stopped)', async () => {
    const { call, runId } = await stopping('shutdown', true, async () => undefined)
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'failed', reason: 'stopped' }])
    expect(await onlyCall(runId)).toMatchObject({ result: 'error' })
  })
})
