import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createPolicyReader } from '#services/policy/activations/policy-reader.ts'
import { textsOf, withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { beginRun } from '../lifecycle/begin-run.ts'
import { cancelRun } from '../lifecycle/cancel-run.ts'
import { startRun } from '../../runs/starting/start-run.ts'
import { takeTurn } from './take-turn.ts'
import { useTurnDesk, desk, aRead, aWrite, runRow } from './turns.fixture.ts'

useTurnDesk()

describe('one turn', () => {
  test('taken twice reads back the stored reply and asks the model once', async () => {
    desk.say({ calls: [aWrite] })
    const { runId, turn: first } = await desk.startTurn()
    const again = await desk.turn(runId, 1)
    expect({ ...again, nextDeadlineMs: null }).toEqual({ ...first, nextDeadlineMs: null })
    expect(desk.modelRequests).toHaveLength(1)
  })

  test('taken by two overlapping attempts has one message, judged once', async () => {
    const bothAsked = Promise.withResolvers<void>()
    const answering = async () => {
      if (desk.modelRequests.length === 2) bothAsked.resolve()
      await bothAsked.promise
      const calls = [{ ...aWrite, id: 'write' }]
      return { text: 'I write.', calls, usage: { inputTokens: 1, outputTokens: 1 } }
    }
    desk.say(answering, answering)
    const runId = await desk.start()
    const both = await Promise.all([desk.turn(runId, 1), desk.turn(runId, 1)])
    expect(both[0].kind).toBe('calls')
    const ids = both.map((one) => (one.kind === 'calls' ? one.calls.map((c) => c.callId) : []))
    expect(ids[0]).toEqual(ids[1])
    const types = await desk.auditTypes(runId)
    expect(types.filter((type) => type === 'request.opened')).toHaveLength(1)
    expect((await runRow(runId)).pending_requests).toBe(1)
    expect(desk.modelRequests).toHaveLength(2)
  })

  test('has a call with a new id where the model repeats an id of an earlier turn, or gives none', async () => {
    const read = (id: string) => ({ ...aRead, id })
    desk.say(
      { calls: [read('a'), read(''), read('')] },
      { calls: [read('a'), read('b')] },
      { text: 'Done' },
    )
    const runId = await desk.start()
    await desk.perform(await desk.turn(runId, 1))
    await desk.perform(await desk.turn(runId, 2))
    await desk.turn(runId, 3)
    const calls = [...(await desk.calls(runId, 1)), ...(await desk.calls(runId, 2))]
    const [, second, third, fourth] = calls.map(({ id }) => `call_${id}`)
    expect(calls.map(({ result }) => result)).toEqual(Array.from({ length: 5 }, () => 'output'))
    const ids = ['a', second, third, fourth, 'b']
    expect(calls.map(({ toolCallId }) => toolCallId)).toEqual(ids)
    const messages = desk.modelRequests.at(-1)?.messages ?? []
    const modelCalls = messages.flatMap((one) => (one.role === 'assistant' ? one.calls : []))
    const results = messages.flatMap((one) => (one.role === 'tool' ? one.results : []))
    expect(modelCalls.map(({ id }) => id)).toEqual(ids)
    expect(results.map(({ id }) => id)).toEqual(ids)
  })

  // Rules: product.md 15
  test('is not taken before every call of the one before has a result', async () => {
    desk.say({ calls: [aWrite] })
    const { runId, turn: first } = await desk.startTurn()
    expect({ ...(await desk.turn(runId, 2)), nextDeadlineMs: null }).toEqual({
      ...first,
      nextDeadlineMs: null,
    })
    expect(desk.modelRequests).toHaveLength(1)
  })

  test('requested by a workflow that is ahead of the database is the next one', async () => {
    desk.say({ calls: [aRead] })
    const runId = await desk.start()
    await desk.perform(await desk.turn(runId, 7))
    expect(await desk.calls(runId, 1)).toMatchObject([{ result: 'output' }])
    expect(await desk.turn(runId, 7)).toEqual({ kind: 'ended' })
    expect((await runRow(runId)).turn).toBe(2)
  })

  test('of a run that has ended, or does not exist, is not taken', async () => {
    const runId = await desk.start()
    expect(await desk.turn('019a0000-0000-7000-8000-000000000000', 1)).toEqual({ kind: 'ended' })
    await cancelRun(desk.api, desk.people.ada.caller, { runId })
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'ended' })
    expect(await beginRun(desk.api, { runId })).toMatchObject({ ended: true })
  })

  test('of a run that has lost its lineage is refused before and after the model, and the run goes on', async () => {
    const loseLineage = async (runId: string) => {
      await sql`delete from run_lineage where run_id = ${runId}::uuid`.execute(desk.database.db)
    }
    const runId = await desk.start()
    await loseLineage(runId)
    await expect(desk.turn(runId, 1)).rejects.toMatchObject({ code: 'not_found' })
    const other = await desk.start()
    desk.say(async () => {
      await loseLineage(other)
      return { text: 'Done', calls: [], usage: { inputTokens: 1, outputTokens: 1 } }
    })
    await expect(desk.turn(other, 1)).rejects.toMatchObject({ code: 'not_found' })
    expect(await runRow(other)).toMatchObject({ state: 'running', turn: 0 })
  })

  test('of a run that has ended reads no policy version while the run is locked', async () => {
    const queries: LoggedQuery[] = []
    await using db = withQueryLog(desk.database.url, queries)
    const { verifier, memory, log } = desk.worker
    const policies = createPolicyReader({ db, verifier, memory, log })
    const runId = await desk.start()
    await cancelRun(desk.api, desk.people.ada.caller, { runId })
    const { signal } = new AbortController()
    const outcome = await takeTurn({ ...desk.worker, db, policies }, { runId, turn: 1, signal })
    expect(outcome).toEqual({ kind: 'ended' })
    expect(textsOf(queries)).not.toContain('policy_version')
  })

  // Rules: product.md 16
  test('with two calls of one id refuses both, and the model gets them with distinct ids', async () => {
    desk.say({
      calls: [
        { ...aRead, id: 'same' },
        { ...aWrite, id: 'same' },
      ],
    })
    const { runId } = await desk.startTurn()
    expect((await desk.calls(runId, 1)).map((call) => call.result)).toEqual(['error', 'error'])
    await desk.turn(runId, 2)
    const [, answer, toolMessage] = desk.modelRequests.at(-1)?.messages ?? []
    const ids = answer?.role === 'assistant' ? answer.calls.map((call) => call.id) : []
    expect(new Set(ids).size).toBe(2)
    expect(toolMessage?.role === 'tool' ? toolMessage.results.map((one) => one.id) : []).toEqual(
      ids,
    )
  })

  // Rules: product.md 3, 4
  test('with arguments that are not JSON, unknown tools or refused paths has errors and asks nobody', async () => {
    desk.say({
      calls: [
        { tool: 'write_file', input: { invalidJson: '{"path":' } },
        { tool: 'deploy\0', input: {} },
        { tool: 'write_file', input: { path: '../out.md', content: 'x' } },
        { tool: 'write_file', input: { path: 'readme.md', content: 'x' } },
      ],
    })
    const { runId } = await desk.startTurn()
    const calls = await desk.calls(runId, 1)
    expect(calls.map((call) => call.verdict)).toEqual(['error', 'error', 'error', 'error'])
    expect(calls.map((call) => call.requestId)).toEqual(['', '', '', ''])
    expect((await runRow(runId)).state).toBe('running')
  })

  // Rules: product.md 15
  test('with a read of a file that an earlier call writes runs the read after the write', async () => {
    desk.say({
      calls: [
        { tool: 'read_file', input: { path: 'notes/new.md' } },
        aWrite,
        { tool: 'read_file', input: { path: 'notes/new.md' } },
        aRead,
      ],
    })
    const outcome = await desk.turn(await desk.start(), 1)
    expect(outcome).toMatchObject({
      kind: 'calls',
      calls: [{ readOnly: true }, { readOnly: false }, { readOnly: false }, { readOnly: true }],
    })
  })

  test('with more than a hundred calls carries out none of them', async () => {
    desk.say({ calls: Array.from({ length: 101 }, () => aRead) })
    const { runId, turn } = await desk.startTurn()
    expect(turn.kind === 'calls' && turn.calls.every((call) => call.step === 'done')).toBe(true)
    expect((await desk.calls(runId, 1))[0]?.text).toContain('at most 100 calls')
  })

  test('whose judging fails five times gives every call an error', async () => {
    desk.say({ calls: [aRead] })
    const runId = await desk.start()
    const broken = {
      ...desk.worker,
      workspaceOf: async () => {
        throw new Error('the disk is gone')
      },
    }
    const input = { runId, turn: 1, signal: new AbortController().signal }
    for (let time = 0; time < 5; time += 1) {
      await expect(takeTurn(broken, input)).rejects.toThrow('the disk is gone')
    }
    expect(await takeTurn(broken, input)).toMatchObject({ kind: 'calls' })
    expect(await desk.calls(runId, 1)).toMatchObject([{ result: 'error' }])
    expect(desk.modelRequests).toHaveLength(1)
  })
})

// Rules: product.md 21
describe('run modes', () => {
  test('strict denies calls that would ask and names the mode; pre-approved calls run', async () => {
    desk.say({ calls: [aRead, aWrite] })
    const runId = await desk.start({ mode: 'strict' })
    await desk.perform(await desk.turn(runId, 1))
    const calls = await desk.calls(runId, 1)
    expect(calls.map((call) => call.result)).toEqual(['output', 'denied'])
    expect(calls[1]?.text).toContain('strict')
    expect((await runRow(runId)).pending_requests).toBe(0)
  })
})

describe('approve_all', () => {
  test('runs calls that would ask, by the mode, and still blocks', async () => {
    desk.say({ calls: [aWrite, { tool: 'delete_file', input: { path: 'notes/1.md' } }] })
    const asking = { worker: 'scribe', input: 'Go', mode: 'approve_all' } as const
    const { id } = await startRun(desk.api, desk.people.olga.caller, asking)
    await desk.perform(await desk.turn(id, 1))
    expect((await desk.calls(id, 1)).map((call) => [call.verdict, call.result])).toEqual([
      ['preApproved', 'output'],
      ['blocked', 'blocked'],
    ])
    expect((await runRow(id)).pending_requests).toBe(0)
  })
})
