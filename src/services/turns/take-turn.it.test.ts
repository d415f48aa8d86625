import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  deskWorker,
  openAgentDesk,
  type AgentDesk,
} from '../../../test/harness/fixtures/agent-desk.ts'
import { ModelProblem } from '../../models/model.ts'
import { advanceRequests } from '../runs/advance-requests.ts'
import { beginRun } from '../runs/begin-run.ts'
import { cancelRun } from '../runs/ending/cancel-run.ts'
import { closeRun } from '../runs/ending/close-run.ts'
import { messageRun } from '../runs/message-run.ts'
import { startRun } from '../runs/start-run.ts'
import { takeTurn } from './take-turn.ts'

let desk: AgentDesk

beforeAll(async () => {
  desk = await openAgentDesk()
  await desk.write('notes/1.md', 'one\n')
})
afterAll(() => desk[Symbol.asyncDispose]())
beforeEach(() => {
  desk.steps.length = 0
  desk.executed.length = 0
  desk.asked.length = 0
})

const aRead = { tool: 'read_file', input: { path: 'notes/1.md' } }
const aWrite = { tool: 'write_file', input: { path: 'notes/new.md', content: 'new\n' } }

async function runRow(runId: string) {
  return desk.database.db
    .selectFrom('run')
    .selectAll()
    .where('id', '=', runId)
    .executeTakeFirstOrThrow()
}

async function say(runId: string, text: string) {
  return messageRun(desk.api, desk.people.ada.caller, { runId, text })
}

describe('one turn', () => {
  test('taken twice reads back what is stored and asks the model once', async () => {
    desk.say({ calls: [aWrite] })
    const runId = await desk.start()
    const first = await desk.turn(runId, 1)
    const again = await desk.turn(runId, 1)
    expect({ ...again, nextDeadlineMs: null }).toEqual({ ...first, nextDeadlineMs: null })
    expect(desk.asked).toHaveLength(1)
  })

  test('of two attempts that overlap one message stays, judged once', async () => {
    const bothAsked = Promise.withResolvers<void>()
    const answering = async () => {
      if (desk.asked.length === 2) bothAsked.resolve()
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
    expect(desk.asked).toHaveLength(2)
  })

  // Rules: product.md 15
  test('is not taken before every call of the one before has a result', async () => {
    desk.say({ calls: [aWrite] })
    const runId = await desk.start()
    const first = await desk.turn(runId, 1)
    expect({ ...(await desk.turn(runId, 2)), nextDeadlineMs: null }).toEqual({
      ...first,
      nextDeadlineMs: null,
    })
    expect(desk.asked).toHaveLength(1)
  })

  test('asked for by a workflow that is ahead of the store is the one that comes next', async () => {
    desk.say({ calls: [aRead] })
    const runId = await desk.start()
    await desk.perform(await desk.turn(runId, 7))
    expect(await desk.calls(runId, 1)).toMatchObject([{ result: 'output' }])
    expect(await desk.turn(runId, 7)).toEqual({ kind: 'finished' })
    expect((await runRow(runId)).turn).toBe(2)
  })

  test('of a run that ended or of none is nothing', async () => {
    const runId = await desk.start()
    expect(await desk.turn('019a0000-0000-7000-8000-000000000000', 1)).toEqual({ kind: 'ended' })
    await cancelRun(desk.api, desk.people.ada.caller, { runId })
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'ended' })
    expect(await beginRun(desk.api, { runId })).toMatchObject({ ended: true })
  })

  // Rules: product.md 16
  test('calls with one id are both refused, and the model is given them apart', async () => {
    desk.say({
      calls: [
        { ...aRead, id: 'same' },
        { ...aWrite, id: 'same' },
      ],
    })
    const runId = await desk.start()
    await desk.turn(runId, 1)
    expect((await desk.calls(runId, 1)).map((call) => call.result)).toEqual(['error', 'error'])
    await desk.turn(runId, 2)
    const [, said, told] = desk.asked.at(-1)?.messages ?? []
    const ids = said?.role === 'assistant' ? said.calls.map((call) => call.id) : []
    expect(new Set(ids).size).toBe(2)
    expect(told?.role === 'tool' ? told.results.map((one) => one.id) : []).toEqual(ids)
  })

  // Rules: product.md 3, 4
  test('arguments that are not JSON, unknown tools and refused paths are errors and ask nobody', async () => {
    desk.say({
      calls: [
        { tool: 'write_file', input: { invalidJson: '{"path":' } },
        { tool: 'deploy\0', input: {} },
        { tool: 'write_file', input: { path: '../out.md', content: 'x' } },
        { tool: 'write_file', input: { path: 'readme.md', content: 'x' } },
      ],
    })
    const runId = await desk.start()
    await desk.turn(runId, 1)
    const calls = await desk.calls(runId, 1)
    expect(calls.map((call) => call.verdict)).toEqual(['error', 'error', 'error', 'error'])
    expect(calls.map((call) => call.requestId)).toEqual(['', '', '', ''])
    expect((await runRow(runId)).state).toBe('running')
  })

  // Rules: product.md 15
  test('with a read of what an earlier call writes lets that read wait its turn', async () => {
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
    const runId = await desk.start()
    const turn = await desk.turn(runId, 1)
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
    expect(desk.asked).toHaveLength(1)
  })
})

// Rules: product.md 8
describe('denials', () => {
  test('are told to the model as quoted data, and the run goes on', async () => {
    desk.say({ calls: [aWrite] })
    const runId = await desk.start()
    const turn = await desk.turn(runId, 1)
    const [call] = await desk.calls(runId, 1)
    await desk.decide(desk.people.grace, call?.requestId ?? '', {
      decision: 'deny',
      reason: 'use "yarn"',
    })
    await desk.perform(turn)
    const [denied] = await desk.calls(runId, 1)
    expect(denied?.result).toBe('denied')
    expect(denied?.text).toContain('tool-output-denied')
    expect(denied?.text).toContain('"use \\"yarn\\""')
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'finished' })
  })

  // Rules: product.md 9
  test('are not remembered: the same call asks again, and may be approved then', async () => {
    const again = { tool: 'write_file', input: { path: 'notes/denied.md', content: 'x\n' } }
    desk.say({ calls: [again] }, { calls: [again] })
    const runId = await desk.start()
    const turn = await desk.turn(runId, 1)
    const [denied] = await desk.calls(runId, 1)
    await desk.decide(desk.people.grace, denied?.requestId ?? '', { decision: 'deny' })
    await desk.perform(turn)
    const next = await desk.turn(runId, 2)
    const [asked] = await desk.calls(runId, 2)
    expect(asked).toMatchObject({ verdict: 'ask', result: null })
    expect(asked?.requestId).not.toBe(denied?.requestId)
    await desk.decide(desk.people.grace, asked?.requestId ?? '')
    await desk.perform(next)
    expect(await desk.calls(runId, 2)).toMatchObject([{ result: 'output' }])
  })

  test('that stop cancel every later call and let the run wait for a message', async () => {
    desk.say({
      calls: [
        aWrite,
        { tool: 'write_file', input: { path: 'scratch/1.txt', content: 'x' } },
        { tool: 'write_file', input: { path: 'notes/later.md', content: 'x' } },
      ],
    })
    const runId = await desk.start()
    const turn = await desk.turn(runId, 1)
    const [first, , third] = await desk.calls(runId, 1)
    await desk.decide(desk.people.grace, third?.requestId ?? '')
    await desk.decide(desk.people.grace, first?.requestId ?? '', { decision: 'deny', then: 'stop' })
    await desk.perform(turn)
    expect((await desk.calls(runId, 1)).map((call) => call.result)).toEqual([
      'denied',
      'cancelled',
      'cancelled',
    ])
    expect(desk.executed).toEqual([])
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'waiting_for_input' })
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'waiting_for_input' })
    expect(await runRow(runId)).toMatchObject({ state: 'waiting_for_input', failure: null })
    await say(runId, 'Leave it.')
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'finished' })
    expect(desk.asked.at(-1)?.messages.at(-1)).toEqual({ role: 'user', text: 'Leave it.' })
  })

  test('stay what they were when an earlier call is denied and stops the rest afterwards', async () => {
    desk.say({
      calls: [aWrite, { tool: 'write_file', input: { path: 'notes/z.md', content: 'z' } }],
    })
    const runId = await desk.start()
    const turn = await desk.turn(runId, 1)
    const [first, second] = await desk.calls(runId, 1)
    const { grace } = desk.people
    await desk.decide(grace, second?.requestId ?? '', { decision: 'deny', reason: 'not there' })
    await desk.decide(grace, first?.requestId ?? '', { decision: 'deny', then: 'stop' })
    await desk.perform(turn)
    const [, denied] = await desk.calls(runId, 1)
    expect(denied).toMatchObject({ result: 'denied', text: expect.stringContaining('not there') })
  })

  // Rules: product.md 12
  test('nobody gave in time are an expiry, neither approval nor denial', async () => {
    desk.say({ calls: [aWrite] })
    const runId = await desk.start()
    const turn = await desk.turn(runId, 1)
    await desk.database.db
      .updateTable('request')
      .set({ expires_at: new Date(0) })
      .where('run_id', '=', runId)
      .execute()
    expect(await advanceRequests(desk.api, { runId })).toEqual({ nextDeadlineMs: null })
    await desk.perform(turn)
    expect(await desk.calls(runId, 1)).toMatchObject([{ result: 'expired' }])
    expect((await runRow(runId)).state).toBe('running')
  })
})

// Rules: product.md 21
describe('run modes', () => {
  test('strict denies what would ask and names the mode; pre-approved calls run', async () => {
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
  test('runs what would ask, by the mode, and still blocks', async () => {
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

describe('a turn that is stopped', () => {
  const untilAborted = async ({ signal }: { readonly signal: AbortSignal }) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
    })

  test('because its run was cancelled has ended', async () => {
    const stop = new AbortController()
    desk.say(async (request) => {
      await cancelRun(desk.api, desk.people.ada.caller, { runId: request.runId })
      stop.abort('cancelled')
      throw new Error('aborted')
    })
    const runId = await desk.start()
    const taking = takeTurn(desk.worker, { runId, turn: 1, signal: stop.signal })
    expect(await taking).toEqual({ kind: 'ended' })
  })

  test('by a process that stops is taken again elsewhere', async () => {
    const stop = new AbortController()
    desk.say(async (request) => {
      const waiting = untilAborted(request)
      stop.abort('shutdown')
      return waiting
    })
    const runId = await desk.start()
    const taking = takeTurn(desk.worker, { runId, turn: 1, signal: stop.signal })
    await expect(taking).rejects.toThrow('aborted')
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'finished' })
  })
})

describe('models that fail', () => {
  const busy = new ModelProblem('The provider is busy.', { retryable: true, retryAfterMs: 10 })

  test('are asked again while that may help', async () => {
    desk.say(async () => Promise.reject(busy), { calls: [aRead] })
    const runId = await desk.start()
    await expect(desk.turn(runId, 1)).rejects.toBe(busy)
    expect(await desk.turn(runId, 1)).toMatchObject({ kind: 'calls' })
  })

  test('five times in a row leave the run waiting with the reason; a message resumes it', async () => {
    desk.say(...Array.from({ length: 5 }, () => async () => Promise.reject(busy)))
    const runId = await desk.start()
    for (let time = 0; time < 4; time += 1) {
      await expect(desk.turn(runId, 1)).rejects.toBe(busy)
    }
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'waiting_for_input' })
    const { state, failure } = await runRow(runId)
    expect(state).toBe('waiting_for_input')
    expect(failure).toMatchObject({ code: 'model_failed' })
    expect(failure?.message).toContain('The provider is busy.')
    expect(await say(runId, 'Try again.')).toMatchObject({ state: 'running' })
    expect((await runRow(runId)).failure).toBeNull()
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'finished' })
  })

  test('for good are not asked again', async () => {
    const wrong = new ModelProblem('The key is not valid.', { retryable: false })
    desk.say(async () => Promise.reject(wrong))
    const runId = await desk.start()
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'waiting_for_input' })
    expect(desk.asked).toHaveLength(1)
  })
})

describe('limits', () => {
  test.each([
    ['turns', 'turns: 2', 'limit_turns'],
    ['calls', 'calls: 2', 'limit_calls'],
    ['tokens', 'tokens: 200', 'limit_tokens'],
  ])(
    'of %s end in waiting for input, and a message gives as much again',
    async (_, limit, code) => {
      await desk.activate({
        'workers/scribe.md': deskWorker.replace(/limits: .*/, `limits: { ${limit} }`),
      })
      desk.say(...Array.from({ length: 4 }, () => ({ calls: [aRead] })))
      const runId = await desk.start()
      for (const turn of [1, 2]) await desk.perform(await desk.turn(runId, turn))
      expect(await desk.turn(runId, 3)).toEqual({ kind: 'waiting_for_input' })
      expect(await desk.turn(runId, 3)).toEqual({ kind: 'waiting_for_input' })
      expect((await runRow(runId)).failure).toMatchObject({ code })
      await say(runId, 'Go on.')
      for (const turn of [3, 4]) await desk.perform(await desk.turn(runId, turn))
      expect(await desk.turn(runId, 5)).toEqual({ kind: 'waiting_for_input' })
      expect(desk.asked).toHaveLength(4)
      await desk.activate({ 'workers/scribe.md': deskWorker })
    },
  )
})

describe('messages', () => {
  test('posted during the last turn are read, not lost', async () => {
    const runId = await desk.start()
    desk.say(async () => {
      await say(runId, 'One more thing.')
      return { text: 'Done.', calls: [], usage: { inputTokens: 1, outputTokens: 1 } }
    })
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'finished' })
    expect(await closeRun(desk.api, { runId })).toEqual({ kind: 'continue' })
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'finished' })
    expect(desk.asked.at(-1)?.messages.at(-1)).toEqual({ role: 'user', text: 'One more thing.' })
    expect(await closeRun(desk.api, { runId })).toEqual({ kind: 'closed' })
    expect(await runRow(runId)).toMatchObject({ state: 'completed', output: 'Done.' })
    await expect(say(runId, 'Too late.')).rejects.toMatchObject({ code: 'run_ended' })
  })

  test('race closing: each is either read or refused', async () => {
    for (let round = 0; round < 20; round += 1) {
      const runId = await desk.start()
      await desk.turn(runId, 1)
      const [posted, closed] = await Promise.allSettled([
        say(runId, 'Wait!'),
        closeRun(desk.api, { runId }),
      ])
      const went = closed.status === 'fulfilled' ? closed.value.kind : 'failed'
      expect([posted.status, went]).toEqual(
        posted.status === 'fulfilled' ? ['fulfilled', 'continue'] : ['rejected', 'closed'],
      )
    }
  })

  test('put their author behind the requests that follow', async () => {
    const runId = await desk.start()
    await messageRun(desk.api, desk.people.olga.caller, { runId, text: 'Write it.' })
    desk.say({ calls: [aWrite] })
    await desk.turn(runId, 1)
    const [call] = await desk.calls(runId, 1)
    const behind = await desk.database.db
      .selectFrom('request_principal')
      .select(['person_id', 'why'])
      .where('request_id', '=', call?.requestId ?? '')
      .execute()
    expect(behind).toEqual(
      expect.arrayContaining([
        { person_id: desk.people.ada.id, why: 'started' },
        { person_id: desk.people.olga.id, why: 'messaged' },
      ]),
    )
  })
})
