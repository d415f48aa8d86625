import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '#domain/json/json.ts'
import { auditDocuments } from '#test/harness/fixtures/events-about.ts'
import { addRequest, addRun } from '#test/harness/fixtures/gated-run.ts'
import { addKey, addPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { decideRequest } from './decide-request.ts'
import {
  useDecisionDesk,
  database,
  service,
  ada,
  grace,
  linus,
  run,
  approving,
  denying,
  decide,
  auditTypes,
  stateOf,
} from './decisions.fixture.ts'

useDecisionDesk()

describe('refused decisions', () => {
  // Rules: security.md 22
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
  test('428: without a digest, before any other check', async () => {
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
  test('422: any value other than the literal ones', async () => {
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
  test('410: a request that has expired by the database clock, which also ends it', async () => {
    const request = await addRequest(service, run, { expiresInMs: 0 })
    const late = await refusal(decide(grace, request, approving(request)))
    expect([late.status, late.code]).toEqual([410, 'expired'])
    expect(late.facts).toMatchObject({ cancelReason: 'expired' })
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

  // Rules: product.md 17
  test('403: the person who started the run, or one above it, or owns its key, or sent it a message', async () => {
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

  // Rules: product.md 19
  test('403: machines never decide, whatever requests they may see', async () => {
    const key = await addKey(database.db, grace)
    const request = await addRequest(service, run)
    const attempt = decideRequest(service.ctx, key.caller, {
      request: request.id,
      body: approving(request),
    })
    const problem = await refusal(attempt)
    expect([problem.code, problem.facts['which']]).toEqual(['not_eligible', 'machine'])
  })

  test('403: a person who sees it but is in no team that decides it', async () => {
    const starter = await addPerson(database.db, 'Starter', [])
    const theirs = await addRun(service, { startedBy: starter })
    const request = await addRequest(service, theirs)
    const problem = await refusal(decide(starter, request, approving(request)))
    expect(problem.facts['which']).toBe('not_in_team')
  })

  // Rules: product.md 17
  test('self-approval, where the queue allows it, decides and is marked', async () => {
    const request = await addRequest(service, run, { routing: { selfApproval: true } })
    await decide(ada, request, approving(request))
    const row = await rowOf(database.db, 'decision', { request_id: request.id })
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

  // Rules: security.md 15
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

  // Rules: security.md 15
  test('a digest of what was seen must be that of the request, at every risk, or no decision is recorded', async () => {
    const request = await addRequest(service, run)
    const seen = request.digest
    for (const body of [approving(request, { seen }), denying(request, { seen })]) {
      expect((await refusal(decide(grace, request, body))).code).toBe('not_displayed')
    }
    expect(await stateOf(request.id)).toBe('pending')
    const approval = approving(request, { seen: request.presentationDigest })
    expect((await decide(grace, request, approval)).state).toBe('approved')
  })

  test('high risk where a signature is required is never approved without one', async () => {
    const request = await addRequest(service, run, {
      risk: 'high',
      routing: { signature: 'required' },
    })
    const body = approving(request, { reason: 'checked', seen: request.presentationDigest })
    expect((await refusal(decide(grace, request, body))).code).toBe('signature_required')
    expect(await stateOf(request.id)).toBe('pending')
  })

  // Rules: security.md 12
  test('every refused attempt is in the trail, with who and why, and nothing else changed', async () => {
    const request = await addRequest(service, run)
    await refusal(decide(ada, request, approving(request)))
    await refusal(decide(grace, request, approving(request, { revision: 7 })))
    const events = await auditDocuments(database.db, {
      request_id: request.id,
      type: 'decision.refused',
    })
    expect(events).toMatchObject([
      { actor: { id: ada.id }, detail: { code: 'not_eligible', which: 'behind_request' } },
      { actor: { id: grace.id }, detail: { code: 'stale_revision' } },
    ])
  })
})
