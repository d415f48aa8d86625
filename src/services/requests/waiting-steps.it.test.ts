import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Routing } from '#domain/deciding/judgement.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { addRequest, addRun, type TestRequest } from '#test/harness/fixtures/gated-run.ts'
import { sealRows } from '#test/harness/fixtures/keys/test-keys.ts'
import { judgedCall } from '#test/harness/fixtures/judged-call.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { extendRequest } from './extend-request.ts'
import { reviseRequest } from '../revising/revise-request.ts'
import { advanceRequests } from './ending/advance-requests.ts'
import { getRequest } from './detail/get-request.ts'
import { listRequests } from './lists/list-requests.ts'
import { trailTypes } from '#test/harness/fixtures/trail.ts'

const hour = 3_600_000
const steps = [
  { kind: 'remind', afterMs: 4 * hour },
  { kind: 'escalate', afterMs: 24 * hour, addTeams: ['security'] },
  { kind: 'remind', afterMs: 24 * hour },
] as const satisfies Routing['steps']

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
service.answerJudging((question) => judgedCall(service, question, {}))
const ada = await addPerson(database.db, 'Ada', ['security'])
const grace = await addPerson(database.db, 'Grace', ['platform'])
const edsger = await addPerson(database.db, 'Edsger', ['security'])

async function opened(routing: Partial<Routing> = {}): Promise<TestRequest> {
  const run = await addRun(service, { startedBy: ada })
  return addRequest(service, run, { routing: { steps, ...routing } })
}

/** Makes a request older by this time, without running anything that is due. */
async function letPass(request: TestRequest, ms: number): Promise<void> {
  const by = sql<Date>`${ms}::float8 * interval '1 millisecond'`
  await sql`
    update request set created_at = created_at - ${by}, expires_at = expires_at - ${by},
      next_step_at = next_step_at - ${by} where id = ${request.id}
  `.execute(database.db)
  await sealRows(database.db, 'request', 'id', request.id)
}

async function eventsOf(request: TestRequest): Promise<string[]> {
  const types = await trailTypes(database.db, { request: request.id })
  return types.filter((type) => !type.startsWith('decision'))
}

async function streamed(request: TestRequest): Promise<string[]> {
  const { rows } = await sql<{ type: string }>`
    select type from event where subject->>'requestId' = ${request.id} order by id
  `.execute(database.db)
  return rows.map((row) => row.type)
}

function approve(person: TestPerson, request: TestRequest, digest = request.digest, revision = 1) {
  return decideAs(service.ctx, person, { id: request.id, digest, revision })
}

describe('a request that nobody decides', () => {
  test('is reminded of and escalated at its times, each once, however often its timer fires', async () => {
    const request = await opened()
    const advance = () => advanceRequests(service.ctx, { runId: request.runId })
    const first = await advance()
    expect(first.nextDeadlineMs).toBeGreaterThan(3 * hour)
    expect(first.nextDeadlineMs).toBeLessThanOrEqual(4 * hour)
    expect(await eventsOf(request)).toEqual(['request.opened'])

    await letPass(request, 4 * hour)
    const second = await advance()
    expect(second.nextDeadlineMs).toBeGreaterThan(19 * hour)
    expect(second.nextDeadlineMs).toBeLessThanOrEqual(20 * hour)
    await advance()
    expect(await eventsOf(request)).toEqual(['request.opened', 'request.reminded'])

    await letPass(request, 20 * hour)
    await Promise.all([advance(), advance(), advance()])
    const third = await advance()
    expect(third.nextDeadlineMs).toBeGreaterThan(47 * hour)
    expect(await eventsOf(request)).toEqual([
      'request.opened',
      'request.reminded',
      'request.escalated',
      'request.reminded',
    ])
    const events = await streamed(request)
    expect(events.filter((type) => type === 'request.escalated')).toHaveLength(1)
    expect(events.filter((type) => type === 'request.reminded')).toHaveLength(2)
  })

  test('has every missed step carried out, once and in order, after a day without service', async () => {
    const request = await opened()
    await letPass(request, 30 * hour)
    await advanceRequests(service.ctx, { runId: request.runId })
    await advanceRequests(service.ctx, { runId: request.runId })
    expect(await eventsOf(request)).toEqual([
      'request.opened',
      'request.reminded',
      'request.escalated',
      'request.reminded',
    ])
    const { steps } = await getRequest(service.ctx, grace.caller, { request: request.id })
    expect(steps.map(({ kind, takenAt }) => [kind, takenAt !== null])).toEqual([
      ['remind', true],
      ['escalate', true],
      ['remind', true],
    ])
    expect(steps[0]!.takenAt!.getTime() - steps[0]!.dueAt.getTime()).toBeGreaterThan(25 * hour)
  })

  test('that expired while the service was down says so, and nobody is reminded of it any more', async () => {
    const request = await opened()
    await letPass(request, 4 * hour)
    await advanceRequests(service.ctx, { runId: request.runId })
    await letPass(request, 200 * hour)
    expect(await advanceRequests(service.ctx, { runId: request.runId })).toEqual({
      nextDeadlineMs: null,
    })
    expect(await eventsOf(request)).toEqual([
      'request.opened',
      'request.reminded',
      'request.expired',
    ])
    const { document } = await rowOf(database.db, 'audit_event', {
      request_id: request.id,
      type: 'request.expired',
    })
    expect(JSON.parse(document)).toMatchObject({
      detail: {
        missed: [
          { kind: 'escalate', afterMs: 24 * hour },
          { kind: 'remind', afterMs: 24 * hour },
        ],
      },
    })
    await expect(approve(grace, request)).rejects.toMatchObject({ code: 'expired' })
  })

  test('is not reminded of or escalated any more once it is decided', async () => {
    const request = await opened()
    await approve(grace, request)
    await letPass(request, 30 * hour)
    await advanceRequests(service.ctx, { runId: request.runId })
    expect((await eventsOf(request)).filter((type) => type.startsWith('request'))).toEqual([
      'request.opened',
    ])
  })

  test('keeps its times when its deadline is extended', async () => {
    const request = await opened()
    const expiresAt = new Date(Date.now() + 100 * hour).toISOString()
    await extendRequest(service.ctx, grace.caller, { request: request.id, expiresAt })
    await letPass(request, 24 * hour)
    await advanceRequests(service.ctx, { runId: request.runId })
    expect(await eventsOf(request)).toContain('request.escalated')
  })

  test('cannot be extended by more than ten years', async () => {
    const { id: request } = await opened()
    const { caller } = grace
    const extend = (expiresAt: string) => extendRequest(service.ctx, caller, { request, expiresAt })
    await expect(extend('9999-12-31T23:59:59Z')).rejects.toMatchObject({
      code: 'invalid_request',
      facts: { field: 'expiresAt', message: 'must be at most 3650d from now' },
    })
  })
})

// Rules: product.md 17, 18; security.md 22
describe('a person who was added by an escalation', () => {
  test('sees the request, finds it among their own and decides it; before, it was not found for them', async () => {
    const request = await opened()
    await expect(approve(edsger, request)).rejects.toMatchObject({ code: 'not_found' })
    await letPass(request, 24 * hour)
    await advanceRequests(service.ctx, { runId: request.runId })
    const { items } = await listRequests(service.ctx, edsger.caller, { mine: true, limit: 200 })
    expect(items.map((item) => item.id)).toContain(request.id)
    const detail = await getRequest(service.ctx, edsger.caller, { request: request.id })
    expect(detail.quorum.text).toBe('1 of platform (or security)')
    expect(detail.eligiblePeople.map(({ name }) => name)).toEqual(['Edsger', 'Grace'])
    const answer = await approve(edsger, request)
    expect(answer).toMatchObject({
      state: 'approved',
      quorum: { counted: [{ team: 'security', person: { name: 'Edsger' } }], missing: [] },
    })
  })

  // Rules: security.md 29
  test('does not decide it when SQL moved its opening back, or says that steps were taken', async () => {
    const early = await opened()
    const moveBy = (hours: number) =>
      sql`update request set created_at = created_at + ${hours} * interval '1 hour',
        next_step_at = next_step_at + ${hours} * interval '1 hour' where id = ${early.id}`.execute(
        database.db,
      )
    await moveBy(-24)
    await advanceRequests(service.ctx, { runId: early.runId })
    await expect(approve(edsger, early)).rejects.toMatchObject({ code: 'tampered' })
    await moveBy(24)
    await expect(approve(edsger, early)).rejects.toMatchObject({ code: 'tampered' })

    const edited = await opened()
    await sql`update request set steps_taken = array_fill(clock_timestamp(), array[3])
      where id = ${edited.id}`.execute(database.db)
    const input = { path: 'notes/1.md', content: 'other\n' }
    const change = { request: edited.id, input, digest: edited.digest, revision: 1 }
    const { digest } = await reviseRequest(service.ctx, grace.caller, change)
    await expect(approve(edsger, edited, digest, 2)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('is still refused if they are behind the request', async () => {
    const request = await opened()
    await letPass(request, 24 * hour)
    await advanceRequests(service.ctx, { runId: request.runId })
    await expect(approve(ada, request)).rejects.toMatchObject({ code: 'not_eligible' })
  })

  test('still decides it after an edit, which empties the tally', async () => {
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const request = await opened({ quorum, quorumText: '2 of platform' })
    await letPass(request, 24 * hour)
    await advanceRequests(service.ctx, { runId: request.runId })
    expect(await approve(edsger, request)).toMatchObject({ state: 'pending' })
    const change = {
      request: request.id,
      input: { path: 'notes/1.md', content: 'other\n' },
      digest: request.digest,
      revision: 1,
    }
    const revised = await reviseRequest(service.ctx, grace.caller, change)
    const { quorum: newQuorum } = await getRequest(service.ctx, edsger.caller, {
      request: request.id,
    })
    expect(newQuorum).toMatchObject({ text: '2 of platform (or security)', counted: [] })
    expect(await approve(edsger, request, revised.digest, 2)).toMatchObject({
      state: 'pending',
      quorum: { missing: [{ team: 'platform', count: 1, also: ['security'] }] },
    })
    expect(await approve(grace, request, revised.digest, 2)).toMatchObject({ state: 'approved' })
  })
})
