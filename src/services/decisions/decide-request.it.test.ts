import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hashJson } from '../../domain/digest.ts'
import type { Json, JsonObject } from '../../domain/json.ts'
import type { PermitStatement } from '../../domain/statement.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/harness/postgres.ts'
import {
  addRequest,
  addRun,
  type TestRequest,
  type TestRun,
} from '../../../test/harness/fixtures/gated-run.ts'
import {
  textsOf,
  withQueryLog,
  type LoggedQuery,
} from '../../../test/harness/fixtures/count-queries.ts'
import { addKey, addPerson, type TestPerson } from '../../../test/harness/fixtures/people.ts'
import { refusal } from '../../../test/harness/fixtures/refusal.ts'
import { createTestService, type TestService } from '../../../test/harness/fixtures/test-service.ts'
import { decideRequest } from './decide-request.ts'
import { verifyPermit } from './permits/permits.ts'

let database: TestDatabase
let service: TestService
let ada: TestPerson
let grace: TestPerson
let linus: TestPerson
let edsger: TestPerson
let run: TestRun

beforeAll(async () => {
  database = await createTestDatabase()
  service = await createTestService(database.db)
  ada = await addPerson(database.db, 'Ada', ['platform'])
  grace = await addPerson(database.db, 'Grace', ['platform'])
  linus = await addPerson(database.db, 'Linus', ['platform'])
  edsger = await addPerson(database.db, 'Edsger', ['security'])
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  run = await addRun(service, { startedBy: ada })
})

function approving(request: TestRequest, more: JsonObject = {}): JsonObject {
  return { decision: 'approve', digest: request.digest, revision: 1, ...more }
}

function denying(request: TestRequest, more: JsonObject = {}): JsonObject {
  return { decision: 'deny', digest: request.digest, revision: 1, ...more }
}

async function decide(person: TestPerson, request: { id: string }, body: Json, key?: string) {
  const keyed = key === undefined ? {} : { idempotencyKey: key }
  return decideRequest(service.ctx, person.caller, { request: request.id, body, ...keyed })
}

async function auditTypes(requestId: string): Promise<string[]> {
  const rows = await database.db
    .selectFrom('audit_event')
    .select('type')
    .where('request_id', '=', requestId)
    .orderBy('sequence')
    .execute()
  return rows.map((row) => row.type)
}

async function stateOf(requestId: string): Promise<string> {
  const row = await database.db
    .selectFrom('request')
    .select('state')
    .where('id', '=', requestId)
    .executeTakeFirstOrThrow()
  return row.state
}

describe('an approval', () => {
  test('by somebody else approves, issues a signed permit for exactly what was shown, and wakes the run', async () => {
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
    const permit = await database.db
      .selectFrom('permit')
      .selectAll()
      .where('request_id', '=', request.id)
      .executeTakeFirstOrThrow()
    const revision = await database.db
      .selectFrom('request_revision')
      .selectAll()
      .where('request_id', '=', request.id)
      .executeTakeFirstOrThrow()
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
    expect(verifyPermit(service.ctx.verifier, permit, expected)).toMatchObject({
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
    const outbox = await database.db
      .selectFrom('outbox')
      .select(['kind', 'payload'])
      .where('run_id', '=', run.id)
      .execute()
    expect(outbox).toEqual([{ kind: 'signal_decided', payload: { requestIds: [request.id] } }])
    const after = await database.db
      .selectFrom('run')
      .select(['state', 'pending_requests'])
      .where('id', '=', run.id)
      .executeTakeFirstOrThrow()
    expect(after).toEqual({ state: 'running', pending_requests: 0 })
  })

  test('names the request by its number too', async () => {
    const request = await addRequest(service, run)
    const { number } = await database.db
      .selectFrom('request')
      .select('number')
      .where('id', '=', request.id)
      .executeTakeFirstOrThrow()
    expect(await decide(grace, { id: number }, approving(request))).toMatchObject({
      state: 'approved',
    })
  })

  test('of a quorum of two stays pending until distinct people fill both places', async () => {
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

  test('whose giver has left the team no longer counts when the quorum would be met', async () => {
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const request = await addRequest(service, run, { quorum })
    const leaver = await addPerson(database.db, 'Leaver', ['platform'])
    await decide(leaver, request, approving(request))
    await database.db.deleteFrom('team_member').where('person_id', '=', leaver.id).execute()
    expect(await decide(grace, request, approving(request))).toMatchObject({ state: 'pending' })
    expect(await decide(linus, request, approving(request))).toMatchObject({ state: 'approved' })
  })

  test('whose giver was disabled no longer counts either', async () => {
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const request = await addRequest(service, run, { quorum })
    const gone = await addPerson(database.db, 'Gone', ['platform'])
    await decide(gone, request, approving(request))
    await database.db
      .updateTable('person')
      .set({ disabled_at: new Date() })
      .where('id', '=', gone.id)
      .execute()
    expect(await decide(grace, request, approving(request))).toMatchObject({ state: 'pending' })
  })
})

// Rules: product.md 8
describe('a denial', () => {
  test('ends the request with its reason and lets the run go on', async () => {
    const [request, sibling] = [
      await addRequest(service, run),
      await addRequest(service, run, { position: 2 }),
    ]
    expect(await decide(grace, request, denying(request, { reason: 'use yarn' }))).toMatchObject({
      state: 'denied',
    })
    expect(await stateOf(sibling.id)).toBe('pending')
    const row = await database.db
      .selectFrom('request')
      .select('denied_then')
      .where('id', '=', request.id)
      .executeTakeFirstOrThrow()
    expect(row.denied_then).toBe('continue')
  })

  test('that stops cancels later siblings and revokes their permits, and leaves earlier ones alone', async () => {
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
    const permit = await database.db
      .selectFrom('permit')
      .select('state')
      .where('request_id', '=', fourth.id)
      .executeTakeFirstOrThrow()
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

describe('what is refused', () => {
  test('404: a request the caller may not see does not exist', async () => {
    const outsider = await addPerson(database.db, 'Outsider', ['security'], 'out@example.com')
    const request = await addRequest(service, run)
    const unseen = await refusal(decide(outsider, request, approving(request)))
    expect([unseen.status, unseen.code]).toEqual([404, 'not_found'])
    for (const reference of ['999999', 'x', "' or 1=1", '', '0']) {
      const missing = await refusal(decide(grace, { id: reference }, approving(request)))
      expect(missing.code).toBe('not_found')
    }
  })

  // Rules: product.md 6
  test('428: without a digest, before anything else is said', async () => {
    const request = await addRequest(service, run)
    for (const body of [
      { decision: 'approve', revision: 1 },
      {},
      { decision: true, digest: null },
    ]) {
      expect((await refusal(decide(grace, request, body))).status).toBe(428)
    }
  })

  // Rules: product.md 6
  test('422: anything but the literal values', async () => {
    const request = await addRequest(service, run)
    const decisions: Json[] = [
      true,
      1,
      null,
      'yes',
      'Approve',
      'approved',
      'APPROVE',
      [],
      {},
      'allow',
    ]
    const bodies: JsonObject[] = [
      ...decisions.map((decision) => ({ ...approving(request), decision })),
      approving(request, { scope: true }),
      approving(request, { scope: 'forever' }),
      approving(request, { then: 'continue' }),
      approving(request, { revision: '1' }),
      approving(request, { revision: 0 }),
      { decision: 'approve', digest: request.digest },
      approving(request, { grant: { uses: 1 } }),
      approving(request, { scope: 'run', grant: { uses: 0 } }),
      approving(request, { scope: 'run', grant: { uses: '3' } }),
      approving(request, { scope: 'run', grant: { expiresAt: '2020-01-01T00:00:00Z' } }),
      approving(request, { scope: 'run', grant: { expiresAt: 'tomorrow' } }),
      approving(request, { approved: true }),
      approving(request, { reason: 'x'.repeat(4001) }),
      denying(request, { then: 'halt' }),
      denying(request, { scope: 'once' }),
    ]
    for (const body of bodies) {
      const problem = await refusal(decide(grace, request, body))
      expect([problem.status, problem.code], JSON.stringify(body)).toEqual([422, 'invalid_request'])
    }
    expect(await stateOf(request.id)).toBe('pending')
  })

  // Rules: product.md 10
  test('422 scope_not_allowed: a scope that the request does not offer', async () => {
    const request = await addRequest(service, run, { routing: { scopes: ['once'] } })
    const problem = await refusal(decide(grace, request, approving(request, { scope: 'run' })))
    expect([problem.status, problem.code]).toEqual([422, 'scope_not_allowed'])
  })

  // Rules: product.md 12
  test('410: what has expired by the database clock, which also ends it', async () => {
    const request = await addRequest(service, run, { expiresInMs: 0 })
    const late = await refusal(decide(grace, request, approving(request)))
    expect([late.status, late.code]).toEqual([410, 'expired'])
    expect(await stateOf(request.id)).toBe('expired')
    expect(await auditTypes(request.id)).toEqual([
      'request.opened',
      'request.expired',
      'decision.refused',
    ])
    expect((await refusal(decide(grace, request, denying(request)))).code).toBe('expired')
  })

  // Rules: product.md 7
  test('409 already_decided: with the state, the name, the time and the reason', async () => {
    const request = await addRequest(service, run)
    await decide(grace, request, denying(request, { reason: 'use yarn' }))
    const late = await refusal(decide(linus, request, approving(request)))
    expect([late.status, late.code]).toEqual([409, 'already_decided'])
    expect(late.facts).toMatchObject({ state: 'denied', decidedBy: 'Grace', reason: 'use yarn' })
    expect(Date.parse(String(late.facts['decidedAt']))).toBeLessThanOrEqual(Date.now() + 1000)
  })

  test('403: who started the run, or one above it, or owns its key, or posted to it', async () => {
    const key = await addKey(database.db, linus)
    const root = await addRun(service, { startedBy: ada, keyId: key.id })
    const child = await addRun(service, { startedBy: grace, parent: root })
    const messenger = await addPerson(database.db, 'Messenger', ['platform'])
    const hash = await database.db.selectFrom('content').select('hash').executeTakeFirst()
    await database.db
      .insertInto('message')
      .values({
        id: crypto.randomUUID(),
        run_id: root.id,
        sequence: 1,
        turn: null,
        role: 'user',
        author: JSON.stringify(messenger.caller.actor),
        content_hash: hash?.hash ?? '',
      })
      .execute()
    const request = await addRequest(service, child)
    for (const [person, why] of [
      [ada, 'you started a run above'],
      [grace, 'you started this run'],
      [linus, 'your API key'],
      [messenger, 'you posted a message'],
    ] as const) {
      const problem = await refusal(decide(person, request, approving(request)))
      expect([problem.code, problem.facts['which']]).toEqual(['not_eligible', 'behind_request'])
      expect(problem.message).toContain(why)
    }
    expect(await stateOf(request.id)).toBe('pending')
  })

  test('403: machines never decide, whatever they may see', async () => {
    const key = await addKey(database.db, grace)
    const request = await addRequest(service, run)
    const attempt = decideRequest(service.ctx, key.caller, {
      request: request.id,
      body: approving(request),
    })
    const problem = await refusal(attempt)
    expect([problem.code, problem.facts['which']]).toEqual(['not_eligible', 'machine'])
  })

  test('403: somebody who sees it but is in no team that decides it', async () => {
    const starter = await addPerson(database.db, 'Starter', [])
    const theirs = await addRun(service, { startedBy: starter })
    const request = await addRequest(service, theirs)
    const problem = await refusal(decide(starter, request, approving(request)))
    expect(problem.facts['which']).toBe('not_in_team')
  })

  test('self-approval, where the queue allows it, decides and is marked', async () => {
    const request = await addRequest(service, run, { routing: { selfApproval: true } })
    await decide(ada, request, approving(request))
    const row = await database.db
      .selectFrom('decision')
      .select('self_approved')
      .where('request_id', '=', request.id)
      .executeTakeFirstOrThrow()
    expect(row.self_approved).toBe(true)
  })

  // Rules: product.md 6
  test('412: another digest or revision, with the current ones', async () => {
    const request = await addRequest(service, run)
    const current = { digest: request.digest, revision: 1 }
    const digest = await refusal(
      decide(grace, request, approving(request, { digest: `sha256:${'0'.repeat(64)}` })),
    )
    expect([digest.status, digest.code, digest.facts]).toEqual([412, 'stale_digest', current])
    const revision = await refusal(decide(grace, request, approving(request, { revision: 2 })))
    expect([revision.status, revision.code, revision.facts]).toEqual([
      412,
      'stale_revision',
      current,
    ])
    expect(await stateOf(request.id)).toBe('pending')
  })

  test('high risk: a reason on every decision, and what was displayed on an approval', async () => {
    const request = await addRequest(service, run, { risk: 'high' })
    const seen = request.presentationDigest
    for (const [body, code] of [
      [approving(request, { seen }), 'reason_required'],
      [approving(request, { seen, reason: '  ' }), 'reason_required'],
      [denying(request), 'reason_required'],
      [approving(request, { reason: 'checked' }), 'not_displayed'],
      [approving(request, { reason: 'checked', seen: request.digest }), 'not_displayed'],
    ] as const) {
      expect((await refusal(decide(grace, request, body))).code).toBe(code)
    }
    const answer = await decide(grace, request, approving(request, { reason: 'checked', seen }))
    expect(answer.state).toBe('approved')
  })

  test('high risk where a signature is required is never approved without one', async () => {
    const request = await addRequest(service, run, {
      risk: 'high',
      routing: { signature: 'required' },
    })
    const body = approving(request, { reason: 'checked', seen: request.presentationDigest })
    expect((await refusal(decide(grace, request, body))).code).toBe('not_available')
    expect(await stateOf(request.id)).toBe('pending')
  })

  test('every refused attempt is in the trail, with who and why, and nothing else changed', async () => {
    const request = await addRequest(service, run)
    await refusal(decide(ada, request, approving(request)))
    await refusal(decide(grace, request, approving(request, { revision: 7 })))
    const rows = await database.db
      .selectFrom('audit_event')
      .select('document')
      .where('request_id', '=', request.id)
      .where('type', '=', 'decision.refused')
      .orderBy('sequence')
      .execute()
    const events = rows.map((row) => JSON.parse(row.document) as JsonObject)
    expect(events).toMatchObject([
      { actor: { id: ada.id }, detail: { code: 'not_eligible', which: 'behind_request' } },
      { actor: { id: grace.id }, detail: { code: 'stale_revision' } },
    ])
  })
})

// Rules: product.md 7
describe('idempotency keys', () => {
  test('the same key gets the original answer, also after the request has ended', async () => {
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

  test("another person's same key is another key", async () => {
    const request = await addRequest(service, run)
    await decide(grace, request, approving(request), 'key-3')
    const late = await refusal(decide(linus, request, approving(request), 'key-3'))
    expect(late.code).toBe('already_decided')
  })

  test('twenty concurrent calls with one key decide once and all get the same answer', async () => {
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
  const counted = withQueryLog(database.url, queries)
  try {
    await decideRequest({ ...service.ctx, db: counted }, grace.caller, {
      request: request.id,
      body: approving(request),
    })
  } finally {
    await counted.destroy()
  }
  expect(queries.length, textsOf(queries)).toBeLessThanOrEqual(20)
  const { rows } = await sql<{
    n: string
  }>`select count(*) n from decision where request_id = ${request.id}`.execute(database.db)
  expect(rows[0]?.n).toBe('1')
})
