import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import type { JsonObject } from '../../domain/json.ts'
import {
  deskWorker,
  openAgentDesk,
  type AgentDesk,
  type DeskCall,
} from '../../../test/harness/fixtures/agent-desk.ts'
import { waitUntil } from '../../../test/harness/wait-until.ts'
import { reviseRequest } from '../decisions/revise-request.ts'
import { revokePermit } from '../decisions/revoke-permit.ts'
import { settleOutcome } from '../decisions/settle-outcome.ts'
import { cancelRun } from '../runs/cancel-run.ts'
import type { StopReason } from '../worker-context.ts'
import { executeCall } from './execute-call.ts'
import { settleUnknown } from './settle-unknown.ts'

let desk: AgentDesk

beforeAll(async () => {
  desk = await openAgentDesk()
})
afterAll(() => desk[Symbol.asyncDispose]())
beforeEach(() => {
  desk.steps.length = 0
  desk.executed.length = 0
  desk.beforeExecute = async () => undefined
})

let file = 0

/** A run whose first turn writes a new file; `call` asks. */
async function aWrite(content = 'two\n'): Promise<{ runId: string; path: string; call: DeskCall }> {
  const path = `notes/${(file += 1)}.md`
  desk.say({ calls: [{ tool: 'write_file', input: { path, content } }] })
  const runId = await desk.start()
  await desk.turn(runId, 1)
  return { runId, path, call: await onlyCall(runId) }
}

async function onlyCall(runId: string): Promise<DeskCall> {
  const [call] = await desk.calls(runId, 1)
  if (call === undefined) throw new Error('the turn has no call')
  return call
}

async function executions(callId: string) {
  return desk.database.db
    .selectFrom('execution')
    .select(['attempt', 'state', 'reason'])
    .where('call_id', '=', callId)
    .orderBy('attempt')
    .execute()
}

async function requestRow(id: string) {
  return desk.database.db
    .selectFrom('request')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

describe('what was approved', () => {
  test('runs once when two executors race for it', async () => {
    const { call, path } = await aWrite()
    await desk.decide(desk.people.grace, call.requestId)
    await Promise.all([desk.execute(call.id), desk.execute(call.id), desk.execute(call.id)])
    expect(desk.executed).toEqual(['write_file'])
    expect(await desk.read(path)).toBe('two\n')
  })

  test('does not run when the file has changed: refused (stale), and asked afresh with the old request before it', async () => {
    const { call, path, runId } = await aWrite()
    await desk.decide(desk.people.grace, call.requestId)
    await desk.write(path, 'somebody else\n')
    const outcome = await desk.execute(call.id)
    const fresh = (await onlyCall(runId)).requestId
    expect(outcome).toMatchObject({ kind: 'wait', requestIds: [fresh] })
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'refused', reason: 'stale' }])
    expect(await requestRow(call.requestId)).toMatchObject({
      state: 'approved',
      superseded_by: fresh,
    })
    expect(await requestRow(fresh)).toMatchObject({
      state: 'pending',
      previous: [call.requestId],
      attempt: 2,
    })
    expect(await desk.read(path)).toBe('somebody else\n')

    await desk.decide(desk.people.grace, fresh)
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await desk.read(path)).toBe('two\n')
  })

  test('does not run when the tool itself finds the file changed in the last moment', async () => {
    const { call, path, runId } = await aWrite()
    await desk.decide(desk.people.grace, call.requestId)
    desk.beforeExecute = () => desk.write(path, 'in between\n')
    expect(await desk.execute(call.id)).toMatchObject({ kind: 'wait' })
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'refused', reason: 'stale' }])
    expect((await onlyCall(runId)).requestId).not.toBe(call.requestId)
    expect(await desk.read(path)).toBe('in between\n')
  })

  test('does not run when policy blocks it by now, and nobody is asked again', async () => {
    const { call, path, runId } = await aWrite()
    await desk.decide(desk.people.grace, call.requestId)
    await desk.activate({
      'workers/scribe.md': deskWorker.replace('write: ask', 'write: { blocked: "frozen" }'),
    })
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    await desk.activate({ 'workers/scribe.md': deskWorker })
    expect(await onlyCall(runId)).toMatchObject({ result: 'blocked' })
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'refused', reason: 'blocked' }])
    await expect(desk.read(path)).rejects.toThrow('ENOENT')
  })

  test('does not run when the approval was taken back: the model reads cancelled', async () => {
    const { call, runId } = await aWrite()
    await desk.decide(desk.people.grace, call.requestId)
    await revokePermit(desk.api, desk.people.grace.caller, {
      request: call.requestId,
      reason: 'not after all',
    })
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await onlyCall(runId)).toMatchObject({ result: 'cancelled' })
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'refused', reason: 'revoked' }])
  })

  test('asks afresh when the permit has lapsed', async () => {
    const { call, runId } = await aWrite()
    await desk.decide(desk.people.grace, call.requestId)
    // Only the signing process can shorten a permit: a changed row is not believed.
    await desk.database.db
      .updateTable('permit')
      .set({ state: 'lapsed' })
      .where('request_id', '=', call.requestId)
      .execute()
    expect(await desk.execute(call.id)).toMatchObject({ kind: 'wait' })
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'refused', reason: 'lapsed' }])
    expect((await onlyCall(runId)).requestId).not.toBe(call.requestId)
  })

  test('does not run after the run was cancelled', async () => {
    const { call, path, runId } = await aWrite()
    await desk.decide(desk.people.grace, call.requestId)
    await cancelRun(desk.api, desk.people.ada.caller, { runId })
    expect(await desk.execute(call.id)).toEqual({ kind: 'ended' })
    expect(await onlyCall(runId)).toMatchObject({ result: 'cancelled' })
    await expect(desk.read(path)).rejects.toThrow('ENOENT')
  })
})

describe('a call that a person changed', () => {
  async function edit(call: DeskCall, input: JsonObject) {
    const { digest, revision } = await requestRow(call.requestId)
    const edited = { request: call.requestId, input, digest, revision }
    return reviseRequest(desk.api, desk.people.grace.caller, edited)
  }

  test('runs as it was approved, and the model is told who changed it into what', async () => {
    const { call, path, runId } = await aWrite()
    await edit(call, { path, content: 'changed\n' })
    await desk.decide(desk.people.grace, call.requestId)
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await desk.read(path)).toBe('changed\n')
    const { text } = await onlyCall(runId)
    expect(text).toContain('A person ("Grace") changed this call before it ran.')
    expect(text).toContain('"content":"changed\\n"')
  })

  test('and that went stale is asked about in its changed form', async () => {
    const { call, path, runId } = await aWrite()
    await edit(call, { path, content: 'changed\n' })
    await desk.decide(desk.people.grace, call.requestId)
    await desk.write(path, 'somebody else\n')
    await desk.execute(call.id)
    const fresh = (await onlyCall(runId)).requestId
    await desk.decide(desk.people.grace, fresh)
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await desk.read(path)).toBe('changed\n')
  })

  test('makes a later call that was shown on top of it ask afresh', async () => {
    const path = `notes/${(file += 1)}.md`
    desk.say({
      calls: [
        { tool: 'write_file', input: { path, content: 'one\n' } },
        { tool: 'edit_file', input: { path, edits: [{ find: 'one', replace: 'two' }] } },
      ],
    })
    const runId = await desk.start()
    const turn = await desk.turn(runId, 1)
    const [first, second] = await desk.calls(runId, 1)
    if (first === undefined || second === undefined) throw new Error('two calls')
    await edit(first, { path, content: 'one and more\n' })
    await desk.decide(desk.people.grace, first.requestId)
    await desk.decide(desk.people.grace, second.requestId)
    expect(await desk.perform(turn)).toMatchObject([{ kind: 'done' }, { kind: 'wait' }])
    expect(await executions(second.id)).toMatchObject([{ state: 'refused', reason: 'stale' }])
    expect(await desk.read(path)).toBe('one and more\n')
  })
})

describe('what only a writer of rows approved', () => {
  test('an approved state without a permit executes nothing and is audited', async () => {
    const { call, path, runId } = await aWrite()
    await desk.database.db
      .updateTable('request')
      .set({ state: 'approved' })
      .where('id', '=', call.requestId)
      .execute()
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await onlyCall(runId)).toMatchObject({ result: 'error' })
    expect(await desk.auditTypes(runId)).toEqual(
      expect.arrayContaining(['permit.refused', 'execution.refused']),
    )
    await expect(desk.read(path)).rejects.toThrow('ENOENT')
  })

  test("another call's permit, put in place by SQL, is refused", async () => {
    const first = await aWrite()
    const second = await aWrite()
    await desk.decide(desk.people.grace, first.call.requestId)
    await desk.database.db
      .updateTable('permit')
      .set({ call_id: second.call.id, request_id: second.call.requestId })
      .where('request_id', '=', first.call.requestId)
      .execute()
    await desk.database.db
      .updateTable('request')
      .set({ state: 'approved' })
      .where('id', '=', second.call.requestId)
      .execute()
    await desk.execute(second.call.id)
    expect(await executions(second.call.id)).toEqual([
      { attempt: 1, state: 'refused', reason: 'invalid_permit' },
    ])
    expect(desk.executed).toEqual([])
  })

  test('an input changed after the approval is refused by its digest', async () => {
    const { call, runId } = await aWrite()
    const other = await aWrite('evil\n')
    await desk.decide(desk.people.grace, call.requestId)
    await sql`update request_revision set input_hash = (
      select input_hash from request_revision where request_id = ${other.call.requestId})
      where request_id = ${call.requestId}`.execute(desk.database.db)
    await desk.execute(call.id)
    expect(await onlyCall(runId)).toMatchObject({ result: 'error' })
    expect(desk.executed).toEqual([])
  })

  test('a run mode changed to approve_all executes nothing that asks', async () => {
    const path = `notes/${(file += 1)}.md`
    desk.say({ calls: [{ tool: 'write_file', input: { path, content: 'x' } }] })
    const runId = await desk.start()
    await desk.database.db
      .updateTable('run')
      .set({ mode: 'approve_all' })
      .where('id', '=', runId)
      .execute()
    await desk.turn(runId, 1)
    const call = await onlyCall(runId)
    expect(call.verdict).toBe('ask')
    await desk.decide(desk.people.grace, call.requestId)
    await desk.execute(call.id)
    expect(await executions(call.id)).toEqual([
      { attempt: 1, state: 'refused', reason: 'invalid_statement' },
    ])
    expect(desk.executed).toEqual([])
  })

  test('a verdict changed to preApproved is judged again and asks', async () => {
    const { call, runId } = await aWrite()
    await desk.database.db
      .updateTable('tool_call')
      .set({ verdict: 'preApproved' })
      .where('id', '=', call.id)
      .execute()
    expect(await desk.execute(call.id)).toMatchObject({ kind: 'wait' })
    expect(await onlyCall(runId)).toMatchObject({ verdict: 'ask', result: null })
    expect(desk.executed).toEqual([])
  })

  test('an activation inserted by SQL changes no verdict', async () => {
    const { call, runId } = await aWrite()
    const changed = deskWorker.replace('write: ask', 'write: preApproved')
    await desk.activate({ 'workers/scribe.md': changed })
    await desk.activate({ 'workers/scribe.md': deskWorker })
    await sql`insert into policy_activation (sequence, digest, statement, signature, key_id, actor)
      select 1000, digest, statement, signature, key_id, actor from policy_activation
      where sequence = 2`.execute(desk.database.db)
    await desk.database.db
      .updateTable('tool_call')
      .set({ verdict: 'preApproved' })
      .where('id', '=', call.id)
      .execute()
    await desk.execute(call.id)
    await sql`delete from policy_activation where sequence = 1000`.execute(desk.database.db)
    expect(await onlyCall(runId)).toMatchObject({ verdict: 'ask', result: null })
    expect(desk.executed).toEqual([])
  })
})

describe('grants', () => {
  test('an approval for the run lets the same call pass unasked, and ends with its uses', async () => {
    const path = `notes/${(file += 1)}.md`
    const input = { path, content: 'again\n' }
    desk.say(
      { calls: [{ tool: 'write_file', input }] },
      { calls: [{ tool: 'write_file', input }] },
      { calls: [{ tool: 'write_file', input }] },
    )
    const runId = await desk.start()
    await desk.turn(runId, 1)
    const first = await onlyCall(runId)
    await desk.decide(desk.people.grace, first.requestId, { scope: 'run', grant: { uses: 1 } })
    await desk.execute(first.id)
    await desk.perform(await desk.turn(runId, 2))
    expect(await desk.calls(runId, 2)).toMatchObject([{ verdict: 'preApproved', result: 'output' }])
    await desk.turn(runId, 3)
    expect(await desk.calls(runId, 3)).toMatchObject([{ verdict: 'ask', result: null }])
    expect(await desk.auditTypes(runId)).toContain('grant.used')
  })

  test('a grant whose end comes between judging and running asks after all', async () => {
    const path = `notes/${(file += 1)}.md`
    const input = { path, content: 'again\n' }
    desk.say({ calls: [{ tool: 'write_file', input }] }, { calls: [{ tool: 'write_file', input }] })
    const runId = await desk.start()
    await desk.turn(runId, 1)
    const first = await onlyCall(runId)
    await desk.decide(desk.people.grace, first.requestId, { scope: 'run' })
    await desk.execute(first.id)
    const second = await desk.turn(runId, 2)
    await desk.database.db
      .updateTable('approval_grant')
      .set({ revoked_at: new Date() })
      .where('root_run_id', '=', runId)
      .execute()
    expect(await desk.perform(second)).toMatchObject([{ kind: 'wait' }])
    expect(desk.executed).toEqual(['write_file'])
  })
})

describe('an attempt nobody knows the end of', () => {
  /** Claims the call and lets its executor vanish before it stores anything. */
  async function vanishing(): Promise<{
    runId: string
    path: string
    call: DeskCall
    letFinish: () => void
    finished: Promise<unknown>
  }> {
    const write = await aWrite()
    await desk.decide(desk.people.grace, write.call.requestId)
    const reached = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    desk.beforeExecute = async () => {
      reached.resolve()
      await held.promise
    }
    const finished = desk.execute(write.call.id)
    await reached.promise
    return { ...write, letFinish: () => held.resolve(), finished }
  }

  test('becomes unknown with an outcome check; its late end closes the check', async () => {
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

  test('settled as carried out, the model is told so', async () => {
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

  test('of a call nobody was asked about asks the people of the worker, who may say `again`', async () => {
    const path = `scratch/${(file += 1)}.txt`
    desk.say({ calls: [{ tool: 'write_file', input: { path, content: 'free\n' } }] })
    const runId = await desk.start()
    await desk.turn(runId, 1)
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

  test('when its run has ended leaves nobody to ask: the result says that it is unknown', async () => {
    const { call, runId, letFinish, finished } = await vanishing()
    await cancelRun(desk.api, desk.people.ada.caller, { runId })
    expect(await onlyCall(runId)).toMatchObject({ result: null })
    expect(await settleUnknown(desk.worker, { callId: call.id })).toEqual({ kind: 'ended' })
    expect(await onlyCall(runId)).toMatchObject({ result: 'unknown' })
    letFinish()
    await finished
    expect(await executions(call.id)).toMatchObject([{ state: 'succeeded' }])
  })

  test('an attempt that had not started may be issued again', async () => {
    const { call } = await aWrite()
    await desk.decide(desk.people.grace, call.requestId)
    expect(await settleUnknown(desk.worker, { callId: call.id })).toEqual({ kind: 'again' })
    expect(await executions(call.id)).toEqual([])
  })

  test('a tool that ends without a result is unknown, never failed', async () => {
    const { call } = await aWrite()
    await desk.decide(desk.people.grace, call.requestId)
    desk.beforeExecute = async () => {
      throw new Error('its process died')
    }
    expect(await desk.execute(call.id)).toMatchObject({ kind: 'wait' })
    expect(await executions(call.id)).toMatchObject([{ attempt: 1, state: 'unknown' }])
  })
})

describe('stopping', () => {
  async function stopping(
    reason: StopReason,
    stops: boolean,
    before: (runId: string) => Promise<unknown>,
  ) {
    const { call, runId } = await aWrite()
    await desk.decide(desk.people.grace, call.requestId)
    const stop = new AbortController()
    const seen: unknown[] = []
    desk.beforeExecute = async (_tool, signal) => {
      await before(runId)
      stop.abort(reason)
      if (stops) await waitUntil(() => signal.aborted, { withinMs: 5_000 })
      // A stop that is not believed is looked at while the same questions are asked here, one after the other.
      else for (let time = 0; time < 10; time += 1) await desk.calls(runId, 1)
      seen.push(signal.aborted)
      if (signal.aborted) throw new Error('stopped')
    }
    await executeCall(desk.worker, { callId: call.id, signal: stop.signal })
    return { call, runId, seen }
  }

  test('a forged cancel stops nothing', async () => {
    const { call, seen } = await stopping('cancelled', false, async () => undefined)
    expect(seen).toEqual([false])
    expect(await executions(call.id)).toMatchObject([{ state: 'succeeded' }])
  })

  test('a real cancel stops the tool: failed (cancelled)', async () => {
    const { call, runId, seen } = await stopping('cancelled', true, (id) =>
      cancelRun(desk.api, desk.people.ada.caller, { runId: id }),
    )
    expect(seen).toEqual([true])
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

describe('order', () => {
  test('a call with effects waits for the earlier ones of its turn, whoever asks for it', async () => {
    const [one, two] = [`notes/${(file += 1)}.md`, `notes/${(file += 1)}.md`]
    desk.say({
      calls: [
        { tool: 'write_file', input: { path: one, content: '1' } },
        { tool: 'write_file', input: { path: two, content: '2' } },
      ],
    })
    const runId = await desk.start()
    await desk.turn(runId, 1)
    const [first, second] = await desk.calls(runId, 1)
    if (first === undefined || second === undefined) throw new Error('two calls')
    await desk.decide(desk.people.grace, second.requestId)
    expect(await desk.execute(second.id)).toMatchObject({
      kind: 'wait',
      requestIds: [first.requestId],
    })
    expect(desk.executed).toEqual([])
    await desk.decide(desk.people.grace, first.requestId, { decision: 'deny' })
    expect(await desk.execute(first.id)).toEqual({ kind: 'done' })
    expect(await desk.execute(second.id)).toEqual({ kind: 'done' })
    expect(desk.executed).toEqual(['write_file'])
  })

  test('a call shown on top of an earlier one that was denied asks afresh', async () => {
    const path = `notes/${(file += 1)}.md`
    await desk.write(path, 'base\n')
    desk.say({
      calls: [
        { tool: 'edit_file', input: { path, edits: [{ find: 'base', replace: 'first' }] } },
        { tool: 'write_file', input: { path, content: 'second\n' } },
      ],
    })
    const runId = await desk.start()
    await desk.turn(runId, 1)
    const [first, second] = await desk.calls(runId, 1)
    if (first === undefined || second === undefined) throw new Error('two calls')
    await desk.decide(desk.people.grace, second.requestId)
    await desk.decide(desk.people.grace, first.requestId, { decision: 'deny' })
    await desk.execute(first.id)
    expect(await desk.execute(second.id)).toMatchObject({ kind: 'wait' })
    expect(await executions(second.id)).toEqual([{ attempt: 1, state: 'refused', reason: 'stale' }])
    expect(await desk.read(path)).toBe('base\n')
  })

  test('a call that still waits on top of an earlier one that was denied is asked about afresh at once', async () => {
    const path = `notes/${(file += 1)}.md`
    await desk.write(path, 'base\n')
    desk.say({
      calls: [
        { tool: 'edit_file', input: { path, edits: [{ find: 'base', replace: 'first' }] } },
        { tool: 'write_file', input: { path, content: 'second\n' } },
        { tool: 'edit_file', input: { path, edits: [{ find: 'first', replace: 'never' }] } },
      ],
    })
    const runId = await desk.start()
    await desk.turn(runId, 1)
    const [first, second, third] = await desk.calls(runId, 1)
    if (first === undefined || second === undefined) throw new Error('three calls')
    // The third was shown on top of the second, in which there is nothing to find.
    expect(third).toMatchObject({ verdict: 'error' })
    await desk.decide(desk.people.grace, first.requestId, { decision: 'deny' })
    expect(await desk.execute(first.id)).toEqual({ kind: 'done' })
    const fresh = (await desk.calls(runId, 1))[1]?.requestId ?? ''
    expect(await requestRow(second.requestId)).toMatchObject({
      state: 'cancelled',
      cancel_reason: 'superseded',
      superseded_by: fresh,
    })
    expect(await requestRow(fresh)).toMatchObject({ state: 'pending', attempt: 1 })
    expect(await desk.execute(second.id)).toMatchObject({ kind: 'wait', requestIds: [fresh] })
    await desk.decide(desk.people.grace, fresh)
    expect(await desk.execute(second.id)).toEqual({ kind: 'done' })
    expect(await desk.read(path)).toBe('second\n')
  })

  test('a call on top of an earlier one that ran as proposed keeps its approval', async () => {
    const path = `notes/${(file += 1)}.md`
    await desk.write(path, 'base\n')
    desk.say({
      calls: [
        { tool: 'edit_file', input: { path, edits: [{ find: 'base', replace: 'first' }] } },
        { tool: 'edit_file', input: { path, edits: [{ find: 'first', replace: 'second' }] } },
      ],
    })
    const runId = await desk.start()
    const turn = await desk.turn(runId, 1)
    for (const call of await desk.calls(runId, 1)) {
      await desk.decide(desk.people.grace, call.requestId)
    }
    expect(await desk.perform(turn)).toEqual([{ kind: 'done' }, { kind: 'done' }])
    expect(await desk.read(path)).toBe('second\n')
  })
})
