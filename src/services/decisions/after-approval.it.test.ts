import { beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import {
  addRequest,
  addRun,
  type TestRequest,
  type TestRun,
} from '#test/harness/fixtures/gated-run.ts'
import { eventsAbout } from '#test/harness/fixtures/events-about.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { rowOf, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { advanceRequests } from '../requests/ending/advance-requests.ts'
import { cancelRun } from '../engine/lifecycle/cancel-run.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { extendRequest } from '../requests/extend-request.ts'
import { revokePermit } from '../permits/revoke-permit.ts'
import { waitForStage } from '../requests/detail/wait-for-stage.ts'

let run: TestRun

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
const ada = await addPerson(database.db, 'Ada', [])
const grace = await addPerson(database.db, 'Grace', ['platform'])

beforeEach(async () => {
  run = await addRun(service, { startedBy: ada })
})

async function approve(request: TestRequest): Promise<string> {
  return (await decideAs(service.ctx, grace, request)).decisionId
}

async function deliver(): Promise<void> {
  await setRows(database.db, 'outbox', { run_id: run.id }, { delivered_at: new Date() })
}

// Rules: product.md 14
describe('an approval that is revoked', () => {
  test('revokes the permit, leaves the request approved and wakes the run', async () => {
    const request = await addRequest(service, run)
    await approve(request)
    const before = await outboxCount()
    await revokePermit(service.ctx, grace.caller, { request: request.id, reason: 'too early' })
    const row = await database.db
      .selectFrom('request')
      .innerJoin('permit', 'permit.request_id', 'request.id')
      .select(['request.state as request', 'permit.state as permit'])
      .where('request.id', '=', request.id)
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ request: 'approved', permit: 'revoked' })
    expect(await outboxCount()).toBe(before + 1)
  })

  test('is refused once the call has started, a second time, before any approval, and to people outside the queue', async () => {
    const request = await addRequest(service, run)
    const revoke = (person: TestPerson) =>
      revokePermit(service.ctx, person.caller, { request: request.id, reason: 'no' })
    expect((await refusal(revoke(grace))).code).toBe('conflict')
    await approve(request)
    expect((await refusal(revoke(ada))).code).toBe('not_eligible')
    await setRows(database.db, 'permit', { request_id: request.id }, { state: 'consumed' })
    expect((await refusal(revoke(grace))).code).toBe('already_started')
  })

  test('refuses the call from then on, and so does the cancellation of its run', async () => {
    const requests = [await addRequest(service, run), await addRequest(service, run, { turn: 2 })]
    for (const request of requests) await approve(request)
    const [first, second] = requests.map(({ id }) => id)
    const execution = async (id = ''): Promise<unknown> =>
      (await getRequest(service.ctx, grace.caller, { request: id })).execution
    await revokePermit(service.ctx, grace.caller, { request: first ?? '', reason: 'too early' })
    expect(await execution(first)).toEqual({ state: 'refused', reason: 'revoked' })
    expect(await execution(second)).toEqual({ state: 'not_started' })
    await cancelRun(service.ctx, ada.caller, { runId: run.id })
    expect(await execution(second)).toEqual({ state: 'refused', reason: 'revoked' })
  })

  async function outboxCount(): Promise<number> {
    const rows = await rowsOf(database.db, 'outbox', { run_id: run.id }, 'id')
    return rows.length
  }
})

describe('an extension', () => {
  test('moves the deadline of a pending request, and wakes the run', async () => {
    const request = await addRequest(service, run)
    const expiresAt = new Date(Date.now() + 30 * 24 * 3_600_000).toISOString()
    const answer = await extendRequest(service.ctx, grace.caller, {
      request: request.id,
      expiresAt,
    })
    expect(answer.expiresAt.toISOString()).toBe(expiresAt)
    const signals = await rowsOf(database.db, 'outbox', { run_id: run.id }, 'kind')
    expect(signals).toEqual([{ kind: 'signal_decided' }])
  })

  test('is recorded with its person, the old deadline and the new one', async () => {
    const request = await addRequest(service, run)
    const expiresAt = new Date(Date.now() + 30 * 24 * 3_600_000).toISOString()
    await extendRequest(service.ctx, grace.caller, { request: request.id, expiresAt })
    const [event] = await eventsAbout(database.db, request.id, 'request.extended')
    expect(event).toMatchObject({
      actor: { type: 'person', id: grace.id },
      runId: run.id,
      digest: request.digest,
      detail: { from: expect.stringMatching(/Z$/), to: expiresAt },
    })
  })

  test('never shortens a deadline, never applies to an ended request, and is never given by someone who only started the run', async () => {
    const request = await addRequest(service, run)
    const soon = new Date(Date.now() + 1000).toISOString()
    const later = new Date(Date.now() + 90 * 24 * 3_600_000).toISOString()
    const extend = (person: TestPerson, expiresAt: string) =>
      extendRequest(service.ctx, person.caller, { request: request.id, expiresAt })
    expect((await refusal(extend(grace, soon))).code).toBe('invalid_request')
    expect((await refusal(extend(grace, 'next week'))).code).toBe('invalid_request')
    expect((await refusal(extend(ada, later))).code).toBe('not_eligible')
    await approve(request)
    expect((await refusal(extend(grace, later))).code).toBe('already_decided')
    const over = await addRequest(service, run, { position: 2, expiresInMs: 0 })
    const late = extendRequest(service.ctx, grace.caller, { request: over.id, expiresAt: later })
    expect((await refusal(late)).code).toBe('expired')
  })
})

// Rules: product.md 12
describe("a run's timer", () => {
  const stateOf = async (request: TestRequest): Promise<string> => {
    const { state } = await rowOf(database.db, 'request', { id: request.id })
    return state
  }

  test('expires nothing while time is left or once it has been decided', async () => {
    const request = await addRequest(service, run)
    await advanceRequests(service.ctx, { runId: run.id })
    expect(await stateOf(request)).toBe('pending')
    await approve(request)
    await setRows(database.db, 'request', { id: request.id }, { expires_at: new Date(0) })
    await advanceRequests(service.ctx, { runId: run.id })
    expect(await stateOf(request)).toBe('approved')
  })

  test('expires only the due requests of its run, and records each once', async () => {
    const due = await addRequest(service, run, { expiresInMs: 0 })
    const left = await addRequest(service, run, { position: 2 })
    const other = await addRequest(service, await addRun(service, { startedBy: ada }), {
      expiresInMs: 0,
    })
    await advanceRequests(service.ctx, { runId: run.id })
    await advanceRequests(service.ctx, { runId: run.id })
    expect(await Promise.all([due, left, other].map(stateOf))).toEqual([
      'expired',
      'pending',
      'pending',
    ])
    const events = await rowsOf(
      database.db,
      'audit_event',
      { type: 'request.expired', request_id: due.id },
      'id',
    )
    expect(events).toHaveLength(1)
  })
})

describe('the progress of a decision', () => {
  test('is recorded, then delivered, then what its execution says', async () => {
    const request = await addRequest(service, run)
    const decisionId = await approve(request)
    const stage = async () => (await waitForStage(service.ctx, { decisionId, withinMs: 0 })).stage
    expect(await stage()).toBe('recorded')
    await deliver()
    expect(await stage()).toBe('delivered')
    await database.db
      .insertInto('execution')
      .values({
        call_id: request.callId,
        attempt: 1,
        state: 'started',
        request_id: request.id,
        epoch: 1,
      })
      .execute()
    expect(await stage()).toBe('started')
  })

  test('is awaited until its end, and no longer than requested', async () => {
    const request = await addRequest(service, run)
    const decisionId = await approve(request)
    const started = performance.now()
    expect(await waitForStage(service.ctx, { decisionId, withinMs: 120 })).toMatchObject({
      stage: 'recorded',
      final: false,
    })
    expect(performance.now() - started).toBeLessThan(30_000)
    const waiting = waitForStage(service.ctx, { decisionId, withinMs: 90_000 })
    await database.db
      .insertInto('execution')
      .values({
        call_id: request.callId,
        attempt: 1,
        state: 'succeeded',
        request_id: request.id,
        exit_code: 0,
        epoch: 1,
      })
      .execute()
    expect(await waiting).toMatchObject({
      stage: 'succeeded',
      execution: { state: 'succeeded', attempt: 1, exitCode: 0 },
    })
  })

  // Rules: product.md 14
  test('ends as refused once the approval is revoked, also for who waits already', async () => {
    const request = await addRequest(service, run)
    const decisionId = await approve(request)
    const waiting = waitForStage(service.ctx, { decisionId, withinMs: 90_000 })
    await revokePermit(service.ctx, grace.caller, { request: request.id, reason: 'too early' })
    expect(await waiting).toEqual({
      stage: 'refused',
      execution: { state: 'refused', reason: 'revoked' },
      final: true,
    })
  })

  test('of a vote that waits for others is recorded, and that is final', async () => {
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const decisionId = await approve(await addRequest(service, run, { quorum }))
    expect(await waitForStage(service.ctx, { decisionId, withinMs: 20_000 })).toMatchObject({
      stage: 'recorded',
      final: true,
    })
  })
})
