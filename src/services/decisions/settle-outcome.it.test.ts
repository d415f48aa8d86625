import { beforeEach, describe, expect, test } from 'vitest'
import type { PermitStatement } from '#domain/statements/statement.ts'
import { addRequest, type TestRequest } from '#test/harness/fixtures/gated-run.ts'
import type { TestPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf, rowsOf } from '#test/harness/fixtures/rows.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { readCallFacts } from '../runs/reading/call-facts.ts'
import { settleOutcome, type SettleOutcomeInput } from './settle-outcome.ts'

let check: TestRequest
import { ada, database, grace, run, service, useDecisionDesk } from './decisions.fixture.ts'

useDecisionDesk()
beforeEach(async () => {
  check = await addRequest(service, run, { kind: 'outcome_check' })
  await database.db
    .insertInto('execution')
    .values({ call_id: check.callId, attempt: 1, state: 'unknown', epoch: 1 })
    .execute()
})

function settle(person: TestPerson, finding: Partial<SettleOutcomeInput>) {
  const input = { ran: null, then: 'continue', reason: 'I looked', ...finding }
  return settleOutcome(service.ctx, person.caller, { request: check.id, ...input })
}

function attemptOne() {
  return rowOf(
    database.db,
    'execution',
    { call_id: check.callId, attempt: 1 },
    'state',
    'settled_by',
    'settled_then',
  )
}

describe('an outcome check', () => {
  test.each([
    [true, 'succeeded'],
    [false, 'failed'],
    [null, 'unknown'],
  ] as const)(
    'settled with ran: %s leaves the attempt %s, with the person who found that',
    async (ran, state) => {
      expect(await settle(grace, { ran })).toMatchObject({ state: 'approved' })
      expect(await attemptOne()).toEqual({ state, settled_by: grace.id, settled_then: 'continue' })
      const permits = await rowsOf(database.db, 'permit', { call_id: check.callId }, 'id')
      expect(permits).toEqual([])
    },
  )

  test('settled with `again` issues one permit, for the next attempt of the same call', async () => {
    await settle(grace, { ran: false, then: 'again' })
    const permit = await rowOf(database.db, 'permit', { call_id: check.callId })
    expect(permit.state).toBe('live')
    const statement = JSON.parse(permit.statement) as PermitStatement
    expect(statement).toMatchObject({
      requestId: check.id,
      callId: check.callId,
      digest: check.digest,
      attempt: 2,
      deciders: [grace.id],
    })
  })

  test('settled with `stop` stops the rest of the turn as a denial does', async () => {
    const later = await addRequest(service, run, { position: 2 })
    expect(await settle(grace, { ran: true, then: 'stop' })).toMatchObject({ state: 'denied' })
    const { state, cancel_reason } = await rowOf(database.db, 'request', { id: later.id })
    expect([state, cancel_reason]).toEqual(['cancelled', 'sibling_denied'])
    // What ran was not denied: the card of its call names nobody.
    const facts = await readCallFacts(database.db, run.id)
    expect(facts.get(check.callId)?.denial).toBeNull()
  })
})

describe('settling is refused', () => {
  test('for `again` unless the call did not run, for any value other than the literal ones, and without a reason', async () => {
    for (const finding of [
      { ran: true, then: 'again' },
      { ran: null, then: 'again' },
      { ran: 'false', then: 'again' },
      { ran: 0 },
      { then: 'retry' },
      { reason: ' ' },
    ]) {
      expect((await refusal(settle(grace, finding))).code).toBe('invalid_request')
    }
    expect((await attemptOne()).state).toBe('unknown')
  })

  test('to people behind the call', async () => {
    expect((await refusal(settle(ada, { ran: true }))).code).toBe('not_eligible')
  })

  test('a second time, and after the attempt has ended by itself', async () => {
    await settle(grace, { ran: true })
    expect(await refusal(settle(grace, { ran: true }))).toMatchObject({
      code: 'already_decided',
      message: expect.stringMatching(/ already settled this request$/),
    })
    const other = await addRequest(service, run, { kind: 'outcome_check', position: 2 })
    await database.db
      .insertInto('execution')
      .values({ call_id: other.callId, attempt: 1, state: 'succeeded', epoch: 1 })
      .execute()
    check = other
    expect((await refusal(settle(grace, { ran: false, then: 'again' }))).code).toBe('conflict')
  })

  test('for a request that is no outcome check, and deciding an outcome check is refused', async () => {
    const decided = decideAs(service.ctx, grace, check)
    expect((await refusal(decided)).code).toBe('invalid_request')
    check = await addRequest(service, run, { position: 3 })
    expect((await refusal(settle(grace, { ran: true }))).code).toBe('invalid_request')
  })
})
