import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { deskWorker, type DeskCall } from '#test/harness/fixtures/agent-desk.ts'
import { editCall } from '#test/harness/fixtures/runs/file-calls.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { settleOutcome } from '../../decisions/settle-outcome.ts'
import { reviseRequest } from '../../revising/revise-request.ts'
import { revokePermit } from '../../permits/revoke-permit.ts'
import { cancelRun } from '../lifecycle/cancel-run.ts'
import { executeCall } from './execute-call.ts'
import { settleUnknown } from './settle-unknown.ts'
import {
  anApprovedWrite,
  aWrite,
  desk,
  executions,
  newPath,
  onlyCall,
  requestRow,
  useExecutionDesk,
} from './executions.fixture.ts'

useExecutionDesk()

/** A turn with these calls of a file that contains one line, `base`. */
async function proposeOnBase(
  callsOf: (path: string) => readonly { readonly tool: string; readonly input: JsonObject }[],
) {
  const path = newPath()
  await desk.write(path, 'base\n')
  desk.say({ calls: callsOf(path) })
  const { runId, turn } = await desk.startTurn()
  return { path, runId, turn, calls: await desk.calls(runId, 1) }
}

describe('what was approved', () => {
  test('runs once when two executors race for it', async () => {
    const { call, path } = await anApprovedWrite()
    await Promise.all([desk.execute(call.id), desk.execute(call.id), desk.execute(call.id)])
    expect(desk.executed).toEqual(['write_file'])
    expect(await desk.read(path)).toBe('two\n')
  })

  // Rules: product.md 14
  test('does not run when the file has changed: refused (stale), and asked again with the old request before it', async () => {
    const { call, path, runId } = await anApprovedWrite()
    await desk.write(path, 'somebody else\n')
    const outcome = await desk.execute(call.id)
    expect(desk.executed).toEqual([])
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

  // Rules: product.md 14
  test('does not run when the definition of its tool has changed: refused (stale), and asked again', async () => {
    const { call, runId } = await anApprovedWrite()
    const definitionHash = `sha256:${'0'.repeat(64)}`
    const changed: WorkerContext = {
      ...desk.worker,
      async registryOf(...of) {
        const registry = await desk.worker.registryOf(...of)
        const tools = registry.all().map((tool) => ({ ...tool, definitionHash }))
        return { get: (name) => tools.find((tool) => tool.name === name), all: () => tools }
      },
    }
    const { signal } = new AbortController()
    expect(await executeCall(changed, { callId: call.id, signal })).toMatchObject({ kind: 'wait' })
    expect(desk.executed).toEqual([])
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'refused', reason: 'stale' }])
    const fresh = (await onlyCall(runId)).requestId
    expect(await requestRow(fresh)).toMatchObject({ previous: [call.requestId], state: 'pending' })
  })

  // Rules: product.md 14; security.md 10
  test('does not run when the tool itself finds the file changed in the last moment', async () => {
    const { call, path, runId } = await anApprovedWrite()
    desk.beforeExecute = () => desk.write(path, 'in between\n')
    expect(await desk.execute(call.id)).toMatchObject({ kind: 'wait' })
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'refused', reason: 'stale' }])
    expect((await onlyCall(runId)).requestId).not.toBe(call.requestId)
    expect(await desk.read(path)).toBe('in between\n')
  })

  // Rules: product.md 3, 14
  test('is asked again, and nothing is called forged, when the process ends after such a moment', async () => {
    const { call, path, runId } = await anApprovedWrite()
    let hasEnded = false
    desk.beforeExecute = async () => {
      await desk.write(path, 'in between\n')
      hasEnded = true
    }
    const killed: WorkerContext = {
      ...desk.worker,
      registryOf: (...of) =>
        hasEnded ? Promise.reject(new Error('killed')) : desk.worker.registryOf(...of),
    }
    const { signal } = new AbortController()
    await expect(executeCall(killed, { callId: call.id, signal })).rejects.toThrow('killed')
    desk.beforeExecute = async () => undefined
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'refused', reason: 'stale' }])

    expect(await desk.execute(call.id)).toMatchObject({ kind: 'wait' })
    expect(await executions(call.id)).toEqual([
      { attempt: 1, state: 'refused', reason: 'stale' },
      { attempt: 2, state: 'refused', reason: 'lapsed' },
    ])
    expect(await desk.auditTypes(runId)).not.toContain('permit.refused')
    const fresh = (await onlyCall(runId)).requestId
    expect(await requestRow(fresh)).toMatchObject({ state: 'pending', previous: [call.requestId] })
    await desk.decide(desk.people.grace, fresh)
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await desk.read(path)).toBe('two\n')
  })

  // Rules: product.md 1, 14
  test('does not run when policy blocks it by then, and nobody is asked again', async () => {
    const { call, path, runId } = await anApprovedWrite()
    await desk.activate({
      'workers/scribe.md': deskWorker.replace('write: ask', 'write: { blocked: "frozen" }'),
    })
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    await desk.activate({ 'workers/scribe.md': deskWorker })
    expect(await onlyCall(runId)).toMatchObject({ result: 'blocked' })
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'refused', reason: 'blocked' }])
    await expect(desk.read(path)).rejects.toThrow('ENOENT')
  })

  // Rules: product.md 1, 14
  test('does not run when a version that blocks it is activated while it is judged; nor does a call that needs no approval', async () => {
    const { call, runId } = await anApprovedWrite()
    desk.say({ calls: [{ tool: 'write_file', input: { path: 'scratch/x.md', content: 'x\n' } }] })
    const { runId: other } = await desk.startTurn()
    const alone = await onlyCall(other)
    const frozen = deskWorker.replace(/write: (ask|preApproved)/g, 'write: { blocked: "frozen" }')
    for (const { id } of [call, alone]) {
      let isActivated = false
      const judging: typeof desk.worker = {
        ...desk.worker,
        async registryOf(...of) {
          if (!isActivated) await desk.activate({ 'workers/scribe.md': frozen })
          isActivated = true
          return desk.worker.registryOf(...of)
        },
      }
      const { signal } = new AbortController()
      expect(await executeCall(judging, { callId: id, signal })).toEqual({ kind: 'done' })
      await desk.activate({ 'workers/scribe.md': deskWorker })
    }
    expect(desk.executed).toEqual([])
    for (const id of [runId, other]) expect(await onlyCall(id)).toMatchObject({ result: 'blocked' })
  })

  // Rules: product.md 14
  test('does not run when the approval was revoked: the model reads cancelled', async () => {
    const { call, runId } = await anApprovedWrite()
    await revokePermit(desk.api, desk.people.grace.caller, {
      request: call.requestId,
      reason: 'not after all',
    })
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await onlyCall(runId)).toMatchObject({ result: 'cancelled' })
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'refused', reason: 'revoked' }])
  })

  // Rules: product.md 12, 14
  test('is asked about again when the permit has lapsed', async () => {
    const { call, runId } = await anApprovedWrite()
    // Only the signing process can shorten a permit: a changed row is not believed.
    await setRows(desk.database.db, 'permit', { request_id: call.requestId }, { state: 'lapsed' })
    expect(await desk.execute(call.id)).toMatchObject({ kind: 'wait' })
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'refused', reason: 'lapsed' }])
    expect((await onlyCall(runId)).requestId).not.toBe(call.requestId)
  })

  // Rules: product.md 13
  test('does not run after the run was cancelled', async () => {
    const { call, path, runId } = await anApprovedWrite()
    await cancelRun(desk.api, desk.people.ada.caller, { runId })
    expect(await desk.execute(call.id)).toEqual({ kind: 'ended' })
    expect(await onlyCall(runId)).toMatchObject({ result: 'cancelled' })
    await expect(desk.read(path)).rejects.toThrow('ENOENT')
  })
})

// Rules: security.md 14, 42
describe('a call that runs is stopped when its run is cancelled', () => {
  /** `tell`: Temporal tells of a cancel, and the call looks up once whether the run has ended. */
  async function running(lookUp: () => void) {
    const { call, runId } = await anApprovedWrite()
    const begun = Promise.withResolvers<void>()
    desk.beforeExecute = async (_, stop) => {
      begun.resolve()
      await once(stop, 'abort')
      throw stop.reason
    }
    const temporal = new AbortController()
    const lookedUp = Promise.withResolvers<void>()
    const db = desk.worker.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (temporal.signal.aborted) {
          lookedUp.resolve()
          lookUp()
        }
        return result
      },
    })
    const end = executeCall({ ...desk.worker, db }, { callId: call.id, signal: temporal.signal })
    await begun.promise
    const tell = (): Promise<void> => {
      temporal.abort('cancelled')
      return lookedUp.promise
    }
    const cancel = () => cancelRun(desk.api, desk.people.ada.caller, { runId })
    return { call, cancel, end, tell }
  }

  const stopped = [{ attempt: 1, state: 'failed', reason: 'cancelled' }]

  test('also when Temporal told of a forged cancel before', async () => {
    const { call, cancel, end, tell } = await running(() => undefined)
    await tell()
    await cancel()
    await end
    expect(await executions(call.id)).toEqual(stopped)
  })

  test('also by a person who has it made again, when Temporal told of a forged cancel before', async () => {
    const { call, end, tell } = await running(() => undefined)
    desk.beforeExecute = async () => undefined
    await tell()
    const lost = await settleUnknown(desk.worker, { callId: call.id })
    await settleOutcome(desk.api, desk.people.grace.caller, {
      request: lost.kind === 'wait' ? (lost.requestIds[0] ?? '') : '',
      ran: false,
      then: 'again',
      reason: 'nothing is there',
    })
    await end
    expect((await executions(call.id)).map(({ state }) => state)).toEqual(['failed'])
  })

  test('also when the database is away at that moment', async () => {
    let isAway = true
    const { call, cancel, end, tell } = await running(() => {
      if (!isAway) return
      isAway = false
      throw new Error('the database is away')
    })
    await cancel()
    await tell()
    await end
    expect(await executions(call.id)).toEqual(stopped)
  })
})

// Rules: product.md 11
describe('a call that a person changed', () => {
  async function revise(call: DeskCall, input: JsonObject) {
    const { digest, revision } = await requestRow(call.requestId)
    const edited = { request: call.requestId, input, digest, revision }
    return reviseRequest(desk.api, desk.people.linus.caller, edited)
  }

  test('runs as it was approved, and the model reads who changed it and how', async () => {
    const { call, path, runId } = await aWrite()
    await revise(call, { path, content: 'changed\n' })
    await desk.decide(desk.people.grace, call.requestId)
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await desk.read(path)).toBe('changed\n')
    const { text } = await onlyCall(runId)
    expect(text).toContain('A person ("Linus") changed this call before it ran.')
    expect(text).toContain('"content":"changed\\n"')
  })

  // Rules: security.md 42
  test('keeps its end when the database is away for a moment after its effect', async () => {
    const { call, path, runId } = await aWrite()
    await revise(call, { path, content: 'changed\n' })
    await desk.decide(desk.people.grace, call.requestId)
    let isAway = false
    desk.beforeExecute = async () => {
      isAway = true
    }
    const db = desk.worker.db.withPlugin({
      transformQuery({ node }) {
        if (!isAway) return node
        isAway = false
        throw new Error('the database is away')
      },
      transformResult: async ({ result }) => result,
    })
    const { signal } = new AbortController()
    expect(await executeCall({ ...desk.worker, db }, { callId: call.id, signal })).toEqual({
      kind: 'done',
    })
    expect(isAway).toBe(false)
    expect(await executions(call.id)).toEqual([{ attempt: 1, state: 'succeeded', reason: null }])
    expect((await onlyCall(runId)).text).toContain('A person ("Linus") changed this call')
  })

  test('that went stale is asked about again in its changed form', async () => {
    const { call, path, runId } = await aWrite()
    await revise(call, { path, content: 'changed\n' })
    await desk.decide(desk.people.grace, call.requestId)
    await desk.write(path, 'somebody else\n')
    await desk.execute(call.id)
    const fresh = (await onlyCall(runId)).requestId
    // The person who edited the call stands behind the fresh request too, because it is about their
    // input.
    await expect(desk.decide(desk.people.linus, fresh)).rejects.toThrow('you edited this call')
    await desk.decide(desk.people.grace, fresh)
    expect(await desk.execute(call.id)).toEqual({ kind: 'done' })
    expect(await desk.read(path)).toBe('changed\n')
  })

  test('makes people decide again on a later call that was shown on top of it', async () => {
    const path = newPath()
    desk.say({
      calls: [
        { tool: 'write_file', input: { path, content: 'one\n' } },
        { tool: 'edit_file', input: { path, edits: [{ find: 'one', replace: 'two' }] } },
      ],
    })
    const { runId, turn } = await desk.startTurn()
    const [first, second] = await desk.calls(runId, 1)
    if (first === undefined || second === undefined) throw new Error('two calls')
    await revise(first, { path, content: 'one and more\n' })
    await desk.decide(desk.people.grace, first.requestId)
    await desk.decide(desk.people.grace, second.requestId)
    expect(await desk.perform(turn)).toMatchObject([{ kind: 'done' }, { kind: 'wait' }])
    expect(await executions(second.id)).toMatchObject([{ state: 'refused', reason: 'stale' }])
    expect(await desk.read(path)).toBe('one and more\n')
  })
})

// Rules: product.md 15
describe('order', () => {
  test('a call with effects waits for the earlier ones of its turn, whatever starts it', async () => {
    const [one, two] = [newPath(), newPath()]
    desk.say({
      calls: [
        { tool: 'write_file', input: { path: one, content: '1' } },
        { tool: 'write_file', input: { path: two, content: '2' } },
      ],
    })
    const { runId } = await desk.startTurn()
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

  test('a call shown on top of an earlier one that was denied is asked about again', async () => {
    const { path, calls } = await proposeOnBase((at) => [
      editCall(at, 'base', 'first'),
      { tool: 'write_file', input: { path: at, content: 'second\n' } },
    ])
    const [first, second] = calls
    if (first === undefined || second === undefined) throw new Error('two calls')
    await desk.decide(desk.people.grace, second.requestId)
    await desk.decide(desk.people.grace, first.requestId, { decision: 'deny' })
    await desk.execute(first.id)
    expect(await desk.execute(second.id)).toMatchObject({ kind: 'wait' })
    expect(await executions(second.id)).toEqual([{ attempt: 1, state: 'refused', reason: 'stale' }])
    expect(await desk.read(path)).toBe('base\n')
  })

  test('a pending call on top of an earlier one that was denied is asked about again at once', async () => {
    const { path, runId, calls } = await proposeOnBase((at) => [
      editCall(at, 'base', 'first'),
      { tool: 'write_file', input: { path: at, content: 'second\n' } },
      editCall(at, 'first', 'never'),
    ])
    const [first, second, third] = calls
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
    const { path, turn, calls } = await proposeOnBase((at) => [
      editCall(at, 'base', 'first'),
      editCall(at, 'first', 'second'),
    ])
    for (const call of calls) {
      await desk.decide(desk.people.grace, call.requestId)
    }
    expect(await desk.perform(turn)).toEqual([{ kind: 'done' }, { kind: 'done' }])
    expect(await desk.read(path)).toBe('second\n')
  })
})
