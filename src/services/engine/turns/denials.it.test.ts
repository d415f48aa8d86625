import { describe, expect, test } from 'vitest'
import { findIdleRuns } from '#delivery/reconciling/find-idle-runs.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import { advanceRequests } from '../../requests/ending/advance-requests.ts'
import { useTurnDesk, desk, aWrite, runRow, say } from './turns.fixture.ts'

useTurnDesk()

// Rules: product.md 8, 41
describe('denials', () => {
  test('are passed to the model as quoted data, and the run continues', async () => {
    desk.say({ calls: [aWrite] })
    const { runId, turn } = await desk.startTurn()
    const [call] = await desk.calls(runId, 1)
    await desk.decide(desk.people.grace, call?.requestId ?? '', {
      decision: 'deny',
      reason: 'use "yarn"',
    })
    await desk.perform(turn)
    const [denied] = await desk.calls(runId, 1)
    expect(denied?.result).toBe('denied')
    expect(denied?.text).toContain('tool-output-denied: a person denied this call of write_file')
    expect(denied?.text).toContain('"use \\"yarn\\""')
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'ended' })
  })

  // Rules: product.md 9
  test('are not remembered: the same call asks again, and may be approved then', async () => {
    const again = { tool: 'write_file', input: { path: 'notes/denied.md', content: 'x\n' } }
    desk.say({ calls: [again] }, { calls: [again] })
    const { runId, turn } = await desk.startTurn()
    const [denied] = await desk.calls(runId, 1)
    await desk.decide(desk.people.grace, denied?.requestId ?? '', { decision: 'deny' })
    await desk.perform(turn)
    const next = await desk.turn(runId, 2)
    const [call] = await desk.calls(runId, 2)
    expect(call).toMatchObject({ verdict: 'ask', result: null })
    expect(call?.requestId).not.toBe(denied?.requestId)
    await desk.decide(desk.people.grace, call?.requestId ?? '')
    await desk.perform(next)
    expect(await desk.calls(runId, 2)).toMatchObject([{ result: 'output' }])
  })

  test('with stop cancel every later call and let the run wait for a message', async () => {
    desk.say({
      calls: [
        aWrite,
        { tool: 'write_file', input: { path: 'scratch/1.txt', content: 'x' } },
        { tool: 'write_file', input: { path: 'notes/later.md', content: 'x' } },
      ],
    })
    const { runId, turn } = await desk.startTurn()
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
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'ended' })
    expect(desk.modelRequests.at(-1)?.messages.at(-1)).toEqual({ role: 'user', text: 'Leave it.' })
  })

  test('keep their result when an earlier call is denied and stops the later ones afterwards', async () => {
    desk.say({
      calls: [aWrite, { tool: 'write_file', input: { path: 'notes/z.md', content: 'z' } }],
    })
    const { runId, turn } = await desk.startTurn()
    const [first, second] = await desk.calls(runId, 1)
    const { grace } = desk.people
    await desk.decide(grace, second?.requestId ?? '', { decision: 'deny', reason: 'not there' })
    await desk.decide(grace, first?.requestId ?? '', { decision: 'deny', then: 'stop' })
    await desk.perform(turn)
    const [, denied] = await desk.calls(runId, 1)
    expect(denied).toMatchObject({ result: 'denied', text: expect.stringContaining('not there') })
  })

  // Rules: product.md 12
  test('of a later call leave the run waiting for the earlier one, and the reconciler does not take it for stuck', async () => {
    desk.say({ calls: [aWrite, { ...aWrite, input: { ...aWrite.input, path: 'notes/b.md' } }] })
    const { runId, turn } = await desk.startTurn()
    const [first, second] = await desk.calls(runId, 1)
    const { grace } = desk.people
    await desk.decide(grace, second?.requestId ?? '', { decision: 'deny', then: 'stop' })
    const isStill = async (): Promise<boolean> => {
      const { db } = desk.database
      await db.updateTable('outbox').set({ delivered_at: new Date() }).execute()
      return (await findIdleRuns(db, { seconds: 0, maxRuns: 1000 })).some(({ id }) => id === runId)
    }
    expect(await isStill()).toBe(false)
    await desk.decide(grace, first?.requestId ?? '')
    expect(await isStill()).toBe(true)
    await desk.perform(turn)
    expect((await desk.calls(runId, 1)).map((call) => call.result)).toEqual(['output', 'denied'])
    expect(await desk.turn(runId, 2)).toEqual({ kind: 'waiting_for_input' })
  })

  test('that nobody gave in time are an expiry, neither approval nor denial', async () => {
    desk.say({ calls: [aWrite] })
    const { runId, turn } = await desk.startTurn()
    await setRows(desk.database.db, 'request', { run_id: runId }, { expires_at: new Date(0) })
    expect(await advanceRequests(desk.api, { runId })).toEqual({ nextDeadlineMs: null })
    await desk.perform(turn)
    expect(await desk.calls(runId, 1)).toMatchObject([{ result: 'expired' }])
    expect((await runRow(runId)).state).toBe('running')
  })
})
