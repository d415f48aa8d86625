import { describe, expect, test } from 'vitest'
import { deskConfig, deskWorker } from '#test/harness/fixtures/agent-desk.ts'
import { ModelProblem } from '#models/model.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { messageRun } from '../../runs/message-run.ts'
import { getRun } from '../../runs/reading/get-run.ts'
import { cancelRun } from '../lifecycle/cancel-run.ts'
import { takeTurn } from './take-turn.ts'
import { useTurnDesk, desk, aRead, runRow, say } from './turns.fixture.ts'

useTurnDesk()

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

  test('by a process that stops is taken again by another process', async () => {
    const stop = new AbortController()
    desk.say(async (request) => {
      const waiting = untilAborted(request)
      stop.abort('shutdown')
      return waiting
    })
    const runId = await desk.start()
    const taking = takeTurn(desk.worker, { runId, turn: 1, signal: stop.signal })
    await expect(taking).rejects.toThrow('aborted')
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'ended' })
  })
})

describe('models that fail', () => {
  const busy = new ModelProblem('The provider is busy.', { isRetryable: true, retryAfterMs: 10 })

  test('temporarily are asked again', async () => {
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
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'ended' })
  })

  test('permanently are not asked again', async () => {
    const wrong = new ModelProblem('The key is not valid.', { isRetryable: false })
    desk.say(async () => Promise.reject(wrong))
    const runId = await desk.start()
    expect(await desk.turn(runId, 1)).toEqual({ kind: 'waiting_for_input' })
    expect(desk.modelRequests).toHaveLength(1)
  })
})

describe('the cost of steps', () => {
  const priced = `${deskConfig}models: { scripted-by-the-test: { price: { input: 1000, cachedInput: 100, output: 5000 } } }\n`
  const step = async () => ({
    text: '',
    calls: [{ id: 'a', ...aRead }],
    usage: { inputTokens: 1000, cachedInputTokens: 400, outputTokens: 100 },
  })

  // Rules: product.md 33
  test('is counted by the price list; a step that crosses the limit is completed, and the next does not begin', async () => {
    await desk.activate({
      'countersign.yaml': priced,
      'workers/scribe.md': deskWorker.replace(/limits: .*/, 'limits: { costUsd: 2 }'),
    })
    desk.say(step, step, step)
    const runId = await desk.start()
    await desk.perform(await desk.turn(runId, 1))
    const usage = async () => (await getRun(desk.api, desk.people.ada.caller, runId)).usage
    const one = { inputTokens: 1000, cachedInputTokens: 400, outputTokens: 100 }
    // 600 at 1,000 and 400 at 100 and 100 at 5,000 USD for a million.
    expect(await usage()).toEqual({ ...one, costUsd: expect.closeTo(1.14, 6) })
    await desk.perform(await desk.turn(runId, 2))
    expect((await usage()).costUsd).toBeCloseTo(2.28, 6)
    expect(await desk.turn(runId, 3)).toMatchObject({ kind: 'waiting_for_input' })
    expect(await runRow(runId)).toMatchObject({
      state: 'waiting_for_input',
      failure: { code: 'limit_cost', message: expect.stringContaining('2 USD') },
    })
    expect(desk.steps).toHaveLength(1)
    desk.steps.length = 0
    await desk.activate({ 'countersign.yaml': deskConfig, 'workers/scribe.md': deskWorker })
  })

  test('is unknown without a price', async () => {
    desk.say(step)
    const runId = await desk.start()
    await desk.perform(await desk.turn(runId, 1))
    const { usage } = await getRun(desk.api, desk.people.ada.caller, runId)
    expect(usage).toMatchObject({ inputTokens: 1000, costUsd: null })
  })
})

describe('limits', () => {
  test.each([
    ['turns', 'turns: 2', 'limit_turns'],
    ['calls', 'calls: 2', 'limit_calls'],
    ['tokens', 'tokens: 200', 'limit_tokens'],
  ])(
    'of %s end in waiting for input, and a message grants the same amount again',
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
      expect(desk.modelRequests).toHaveLength(4)
      await desk.activate({ 'workers/scribe.md': deskWorker })
    },
  )

  // Rules: product.md 33
  test.each([
    ['turns', { turns: 1 }, 'limit_turns'],
    ['tokens', { tokens: 110 }, 'limit_tokens'],
  ])(
    'of a budget in %s are below those of the worker, and a message brings a new one',
    async (field, budget, code) => {
      desk.say(...Array.from({ length: 4 }, () => ({ calls: [aRead] })))
      const runId = await desk.start({ budget })
      await desk.perform(await desk.turn(runId, 1))
      expect(await desk.turn(runId, 2)).toEqual({ kind: 'waiting_for_input' })
      const { ada } = desk.people
      expect(await getRun(desk.api, ada.caller, runId)).toMatchObject({
        rest: 'limit',
        budget,
        failure: { code },
      })
      const tooMany = field === 'turns' ? 41 : 2_000_001
      const above = { [field]: tooMany }
      const posted = messageRun(desk.api, ada.caller, { runId, text: 'More', budget: above })
      expect((await refusal(posted)).facts['field']).toBe(`budget.${field}`)
      const more = { [field]: field === 'turns' ? 2 : 220 }
      await messageRun(desk.api, ada.caller, { runId, text: 'More', budget: more })
      for (const turn of [2, 3]) await desk.perform(await desk.turn(runId, turn))
      expect(await desk.turn(runId, 4)).toEqual({ kind: 'waiting_for_input' })
      const started = desk.start({ budget: above })
      expect((await refusal(started)).facts['field']).toBe(`budget.${field}`)
    },
  )
})
