import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { hashJson } from '#domain/json/digest.ts'
import type { PermitStatement } from '#domain/statements/statement.ts'
import { addRequest, type TestRequest } from '#test/harness/fixtures/gated-run.ts'
import { textsOf, withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { testSeals } from '#test/harness/fixtures/keys/test-keys.ts'
import { addPerson, joinTeam, type TestPerson } from '#test/harness/fixtures/people.ts'
import { fixtureFiles, policyOf } from '#test/harness/fixtures/project.ts'
import { outcomeOf, refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { decideRequest } from './decide-request.ts'
import { verifyPermit } from '../permits/permits.ts'
import {
  useDecisionDesk,
  database,
  service,
  ada,
  grace,
  linus,
  edsger,
  run,
  approving,
  denying,
  decide,
  auditTypes,
  stateOf,
} from './decisions.fixture.ts'

useDecisionDesk()

/** Another row of a person, in the same team, as an activation links the two. */
async function sameHumanAs({ id, name }: TestPerson): Promise<TestPerson> {
  const { db } = database
  const other = await addPerson(db, `Formerly ${name}`, ['platform'])
  for (const [rowId, otherId] of [
    [id, other.id],
    [other.id, id],
  ] as const) {
    const row = { ...(await rowOf(db, 'person', { id: rowId })), other_ids: [otherId] }
    const values = { other_ids: row.other_ids, seal: testSeals.of('person', row) }
    await setRows(db, 'person', { id: rowId }, values)
  }
  return other
}

describe('an approval', () => {
  test('by somebody else issues a signed permit for exactly the call that was shown, and wakes the run', async () => {
    const request = await addRequest(service, run)
    const answer = await decide(grace, request, approving(request, { reason: 'fine' }))
    expect(answer).toMatchObject({
      requestId: request.id,
      state: 'approved',
      stage: 'recorded',
      execution: { state: 'not_started' },
      quorum: {
        counted: [{ team: 'platform', person: { id: grace.id, name: 'Grace' } }],
        missing: [],
        text: '1 of platform',
      },
    })
    const permit = await rowOf(database.db, 'permit', { request_id: request.id })
    const revision = await rowOf(database.db, 'request_revision', { request_id: request.id })
    const expected = {
      requestId: request.id,
      revision: 1,
      runId: run.id,
      callId: request.callId,
      digest: request.digest,
      factsDigest: hashJson(revision.facts),
      policyDigest: service.policy.digest,
      attempt: 1,
      epoch: 1,
      now: new Date(),
    }
    expect(verifyPermit(service.ctx, permit, expected)).toMatchObject({
      ok: true,
      statement: { deciders: [grace.id] },
    })
    const statement = JSON.parse(permit.statement) as PermitStatement
    const lifeMs = Date.parse(statement.expiresAt) - Date.parse(statement.issuedAt)
    expect(lifeMs).toBe(30 * 24 * 3_600_000)
    expect(await auditTypes(request.id)).toEqual([
      'request.opened',
      'decision.recorded',
      'permit.issued',
    ])
    const outbox = await rowsOf(database.db, 'outbox', { run_id: run.id }, 'kind', 'payload')
    expect(outbox).toEqual([{ kind: 'signal_decided', payload: { requestIds: [request.id] } }])
    const after = await rowOf(database.db, 'run', { id: run.id }, 'state', 'pending_requests')
    expect(after).toEqual({ state: 'running', pending_requests: 0 })
  })

  test('names the request by its number too', async () => {
    const request = await addRequest(service, run)
    const { number } = await rowOf(database.db, 'request', { id: request.id })
    expect(await decide(grace, { id: number }, approving(request))).toMatchObject({
      state: 'approved',
    })
  })

  test('of a quorum of two leaves the request pending until distinct people fill both places', async () => {
    const quorum = {
      any: [
        [
          { team: 'platform', count: 1 },
          { team: 'security', count: 1 },
        ],
      ],
    }
    const request = await addRequest(service, run, { quorum })
    const first = await decide(grace, request, approving(request))
    expect(first).toMatchObject({
      state: 'pending',
      quorum: { missing: [{ team: 'security', count: 1 }] },
    })
    expect((await refusal(decide(grace, request, approving(request)))).code).toBe('already_voted')
    expect(await decide(edsger, request, approving(request))).toMatchObject({ state: 'approved' })
  })

  // Rules: product.md 18
  test('that one person sends from several sessions at once counts once for a quorum of two', async () => {
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const request = await addRequest(service, run, { quorum })
    const sent = Array.from({ length: 10 }, () => decide(grace, request, approving(request)))
    const outcomes = await Promise.all(sent.map(outcomeOf))
    const codes = outcomes.flatMap((one) => ('refusal' in one ? [one.refusal.code] : []))
    expect(codes).toEqual(Array.from({ length: 9 }, () => 'already_voted'))
    expect(await stateOf(request.id)).toBe('pending')
    expect(await decide(linus, request, approving(request))).toMatchObject({ state: 'approved' })
  })

  // Rules: product.md 17, 18
  test('by another row of the same human is refused to whoever started the run, and fills no second place of a quorum', async () => {
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const request = await addRequest(service, run, { quorum })
    const [adaBefore, graceBefore] = [await sameHumanAs(ada), await sameHumanAs(grace)]
    const attempt = decide(adaBefore, request, approving(request))
    expect(await refusal(attempt)).toMatchObject({ code: 'not_eligible' })
    await decide(grace, request, approving(request))
    expect(await decide(graceBefore, request, approving(request))).toMatchObject({
      state: 'pending',
    })
    expect(await decide(linus, request, approving(request))).toMatchObject({ state: 'approved' })
  })

  // Rules: product.md 18
  test('whose person has left the team no longer counts when the quorum would be reached', async () => {
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const request = await addRequest(service, run, { quorum })
    const leaver = await addPerson(database.db, 'Leaver', ['platform'])
    await decide(leaver, request, approving(request))
    await database.db.deleteFrom('team_member').where('person_id', '=', leaver.id).execute()
    expect(await decide(grace, request, approving(request))).toMatchObject({ state: 'pending' })
    expect(await decide(linus, request, approving(request))).toMatchObject({ state: 'approved' })
  })

  // Rules: product.md 18
  test('by somebody who joined the team since counts, for the quorum as it was when the request was opened, whatever policy is in force', async () => {
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const request = await addRequest(service, run, { quorum })
    const joiner = await addPerson(database.db, 'Joiner', [])
    expect((await refusal(decide(joiner, request, approving(request)))).code).toBe('not_found')
    await decide(grace, request, approving(request))
    await joinTeam(database.db, joiner.id, 'platform')
    const files = new Map(fixtureFiles.texts)
    const config = files.get('countersign.yaml') ?? ''
    const three = 'routing: [{ when: { tool: "*" }, queue: security, quorum: { count: 3 } }]\n'
    files.set('countersign.yaml', config.replace('rights:', `${three}rights:`))
    const later = policyOf({ texts: files, toolFiles: [] })
    const inForce = async () => later
    const policies = { ...service.ctx.policies, inForce, byDigest: inForce }
    const decision = { request: request.id, body: approving(request) }
    const ctx = { ...service.ctx, policies }
    expect(await decideRequest(ctx, joiner.caller, decision)).toMatchObject({
      state: 'approved',
      quorum: { required: [{ team: 'platform', count: 2 }] },
    })
  })

  // Rules: product.md 18
  test('whose person was disabled no longer counts either', async () => {
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const request = await addRequest(service, run, { quorum })
    const gone = await addPerson(database.db, 'Gone', ['platform'])
    await decide(gone, request, approving(request))
    await setRows(database.db, 'person', { id: gone.id }, { disabled_at: new Date() })
    expect(await decide(grace, request, approving(request))).toMatchObject({ state: 'pending' })
  })
})

// Rules: product.md 8
describe('a denial', () => {
  test('ends the request with its reason, and the run continues', async () => {
    const [request, sibling] = [
      await addRequest(service, run),
      await addRequest(service, run, { position: 2 }),
    ]
    expect(await decide(grace, request, denying(request, { reason: 'use yarn' }))).toMatchObject({
      state: 'denied',
    })
    expect(await stateOf(sibling.id)).toBe('pending')
    const row = await rowOf(database.db, 'request', { id: request.id })
    expect(row.denied_then).toBe('continue')
  })

  test('with stop cancels later calls of the turn and revokes their permits, and does not affect earlier ones', async () => {
    const requests: TestRequest[] = []
    for (const position of [1, 2, 3, 4]) {
      requests.push(await addRequest(service, run, { position }))
    }
    const [first, second, third, fourth] = requests as [
      TestRequest,
      TestRequest,
      TestRequest,
      TestRequest,
    ]
    await decide(grace, fourth, approving(fourth))
    await decide(grace, second, denying(second, { then: 'stop' }))
    expect(await Promise.all(requests.map((one) => stateOf(one.id)))).toEqual([
      'pending',
      'denied',
      'cancelled',
      'approved',
    ])
    const permit = await rowOf(database.db, 'permit', { request_id: fourth.id })
    expect(permit.state).toBe('revoked')
    const gone = await refusal(decide(grace, third, approving(third)))
    expect([gone.status, gone.code, gone.facts]).toEqual([
      410,
      'cancelled',
      { cancelReason: 'sibling_denied' },
    ])
    expect(await decide(grace, first, approving(first))).toMatchObject({ state: 'approved' })
  })
})

// Rules: product.md 7
describe('idempotency keys', () => {
  test('the same key gets the original result, also after the request has ended', async () => {
    const request = await addRequest(service, run)
    const first = await decide(grace, request, approving(request), 'key-1')
    expect(await decide(grace, request, approving(request), 'key-1')).toEqual(first)
    expect(await auditTypes(request.id)).not.toContain('decision.refused')
  })

  test('the same key with another body is refused', async () => {
    const request = await addRequest(service, run)
    await decide(grace, request, approving(request), 'key-2')
    const other = await refusal(decide(grace, request, denying(request), 'key-2'))
    expect([other.status, other.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('the same key of another person is another key', async () => {
    const request = await addRequest(service, run)
    await decide(grace, request, approving(request), 'key-3')
    const late = await refusal(decide(linus, request, approving(request), 'key-3'))
    expect(late.code).toBe('already_decided')
  })

  test('twenty concurrent calls with one key decide once and all get the same result', async () => {
    const request = await addRequest(service, run)
    const calls = Array.from({ length: 20 }, () =>
      decide(grace, request, approving(request), 'key-4'),
    )
    const answers = await Promise.all(calls)
    expect(new Set(answers.map((answer) => answer.decisionId)).size).toBe(1)
  })
})

test('a decision is made in few queries', async () => {
  const request = await addRequest(service, run)
  const queries: LoggedQuery[] = []
  await using counted = withQueryLog(database.url, queries)
  await decideRequest({ ...service.ctx, db: counted }, grace.caller, {
    request: request.id,
    body: approving(request),
  })
  expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(20)
  const { rows } = await sql<{
    n: string
  }>`select count(*) n from decision where request_id = ${request.id}`.execute(database.db)
  expect(rows[0]?.n).toBe('1')
})
