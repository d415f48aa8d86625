import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { describe, expect, test } from 'vitest'
import { aRead, aWrite, desk, useTurnDesk } from '../../engine/turns/turns.fixture.ts'
import { readCallFacts } from './call-facts.ts'

useTurnDesk()

async function factsOf(runId: string, position: number) {
  const calls = await desk.calls(runId, 1)
  const facts = await readCallFacts(desk.database.db, runId)
  return facts.get(calls[position]?.id ?? '')
}

describe('the times of a call', () => {
  test('include the time of the request while it waits, and the time of a denial', async () => {
    desk.say({ calls: [aWrite] })
    const { runId } = await desk.startTurn()
    const waiting = await factsOf(runId, 0)
    expect(Date.parse(waiting?.times.askedAt ?? '')).toBeGreaterThan(Date.now() - 60_000)
    expect(waiting).toMatchObject({
      approval: null,
      denial: null,
      times: { decidedAt: null, startedAt: null },
    })
    const [call] = await desk.calls(runId, 1)
    await desk.decide(desk.people.grace, call?.requestId ?? '', { decision: 'deny' })
    const { approval, denial, times } = (await factsOf(runId, 0)) ?? {}
    expect(approval).toBeNull()
    expect(denial).toEqual({
      by: { id: desk.people.grace.id, name: desk.people.grace.name },
      at: expect.any(String),
    })
    expect(times?.askedAt).toBe(waiting?.times.askedAt)
    expect(Date.parse(times?.decidedAt ?? '')).toBeGreaterThanOrEqual(
      Date.parse(times?.askedAt ?? ''),
    )
  })

  test('have no request and no decision if nobody was asked', async () => {
    desk.say({ calls: [aRead] })
    const runId = await desk.start()
    await desk.perform(await desk.turn(runId, 1))
    expect(await factsOf(runId, 0)).toMatchObject({
      approval: null,
      times: { askedAt: null, decidedAt: null, finishedAt: expect.any(String) },
    })
  })

  test('are those of the approved request, with the person who approved it', async () => {
    const runId = await desk.start()
    const call = await proposeCall(desk, runId, 1, aWrite)
    await desk.decide(desk.people.grace, call.requestId)
    expect(await factsOf(runId, 0)).toMatchObject({
      approval: { by: [{ name: desk.people.grace.name }], requestId: call.requestId },
      times: { askedAt: expect.any(String), decidedAt: expect.any(String) },
    })
  })
})
