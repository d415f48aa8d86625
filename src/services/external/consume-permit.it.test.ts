import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { hashJson } from '#domain/json/digest.ts'
import { Problem } from '#domain/problem.ts'
import type { ExternalOutcome } from '#domain/requests/request.ts'
import type { PermitStatement } from '#domain/statements/statement.ts'
import { verifyStatement } from '#domain/statements/statement-bytes.ts'
import type { Policy } from '#policy/policy.ts'
import type { Tx } from '#store/database.ts'
import type { Ledger } from '../core/ledger.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { beforeTransaction } from '#test/harness/fixtures/before-transaction.ts'
import { addKey, addPerson } from '#test/harness/fixtures/people.ts'
import { issuePermit } from '../permits/permits.ts'
import { revokePermit } from '../permits/revoke-permit.ts'
import { waitForStage } from '../requests/detail/wait-for-stage.ts'
import { advanceExternal } from './advance-external.ts'
import { consumePermit } from './consume-permit.ts'
import { outcomeOf, refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { openProgramDesk } from './external.fixture.ts'
import { openExternal } from './open-external.ts'
import { reportOutcome } from './report-outcome.ts'
import { withdrawRequest } from './withdraw-request.ts'

const desk = disposeAfterTests(await openProgramDesk())

const take = (request: { readonly id: string; readonly digest: string }, digest = request.digest) =>
  consumePermit(desk.service.ctx, desk.program.caller, { request: request.id, digest })

async function approved() {
  const request = await desk.ask()
  await desk.decide(request, 'approve')
  return request
}

/** The version of the desk, in which an overlay blocks its tool. */
function versionThatBlocks(): Policy {
  const { policy } = desk.service
  const anything = { path: null, worker: null, queue: null, command: null, risk: null, cue: null }
  const consent = { approval: 'blocked', reason: null, source: 'countersign.yaml:1' } as const
  const overlays = [{ when: { tool: ['deploy'], ...anything }, consent }]
  const config = { ...policy.config, overlays }
  return { ...policy, digest: 'of a version that blocks it', config }
}

const past = sql<Date>`clock_timestamp() - interval '1 second'`

// Rules: product.md 47
describe('a permit', () => {
  // Rules: security.md 29
  test('whose rows were reset is not given out twice, and the refusal is in the trail', async () => {
    const request = await approved()
    const { permitId } = await take(request)
    await sql`update permit set state = 'live', ended_at = null where id = ${permitId}`.execute(
      desk.service.db,
    )
    await sql`update external_request set consumed_by = null, consumed_at = null
      where request_id = ${request.id}`.execute(desk.service.db)
    expect((await refusal(take(request))).code).toBe('already_consumed')
    expect(await desk.auditOf(request.id)).toContain('permit.refused')
  })

  // Rules: security.md 42
  test('is given out once the ledger can be written again, as after a full disk, and only once', async () => {
    const request = await approved()
    const { ctx } = desk.service
    let failures = 2
    const first: Ledger['first'] = async (...entry) => {
      if (failures === 0) return ctx.ledger.first(...entry)
      failures -= 1
      throw new Error('ENOSPC: no space left on device')
    }
    const input = { request: request.id, digest: request.digest }
    const taking = consumePermit({ ...ctx, ledger: { first } }, desk.program.caller, input)
    expect((await taking).digest).toBe(request.digest)
    expect((await refusal(take(request))).code).toBe('already_consumed')
  })

  // Rules: security.md 29, 42
  test('that the ledger does not take while the client still waits is not given out, and the answer says that it is used up', async () => {
    const request = await approved()
    const { ctx } = desk.service
    const clientWaitsMs = 30_000
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      expect(ms).toBeLessThan(clientWaitsMs)
      return AbortSignal.abort()
    })
    let writes = 0
    const first: Ledger['first'] = async () => {
      writes += 1
      throw new Error('ENOSPC: no space left on device')
    }
    const input = { request: request.id, digest: request.digest }
    const taking = consumePermit({ ...ctx, ledger: { first } }, desk.program.caller, input)
    const refused = await refusal(taking).finally(() => vi.restoreAllMocks())
    expect(writes).toBe(1)
    expect(refused.code).toBe('conflict')
    expect(refused.message).toMatch(/used up without a call.*Ask again/)
    expect((await desk.auditOf(request.id)).at(-1)).toBe('permit.refused')
    expect((await refusal(take(request))).code).toBe('already_consumed')
  })

  test('is signed over the approved call, lasts an hour, and is taken once', async () => {
    const request = await approved()
    const permit = await take(request)
    const statement = verifyStatement<PermitStatement>(desk.service.ctx.verifier, 'permit', permit)
    expect(statement).toMatchObject({
      requestId: request.id,
      digest: request.digest,
      runId: null,
      callId: null,
      deciders: [desk.linus.id],
    })
    const lastsMs = Date.parse(statement?.expiresAt ?? '') - Date.parse(statement?.issuedAt ?? '')
    expect(lastsMs).toBe(60 * 60 * 1000)
    expect((await refusal(take(request))).code).toBe('already_consumed')
    expect(await desk.read(request.id)).toMatchObject({
      state: 'approved',
      execution: { state: 'started', executedDigest: request.digest },
      external: { consumed: { by: { id: desk.program.id } } },
    })
    expect(await desk.auditOf(request.id)).toEqual([
      'request.opened',
      'decision.recorded',
      'permit.issued',
      'permit.consumed',
      'execution.started',
      'permit.refused',
    ])
  })

  test('is given to exactly one of fifty callers who request it at once', async () => {
    const request = await approved()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        take(request).catch((error: unknown) => {
          if (error instanceof Problem) return error.code
          throw error
        }),
      ),
    )
    const won = answers.filter((answer) => typeof answer !== 'string')
    expect(won).toHaveLength(1)
    expect(answers.filter((answer) => answer === 'already_consumed')).toHaveLength(49)
  })

  test('is given for the approved digest, and for no other, not even a missing one', async () => {
    const request = await approved()
    const other = await refusal(take(request, `sha256:${'0'.repeat(64)}`))
    expect(other).toMatchObject({ code: 'stale_digest', facts: { digest: request.digest } })
    const none = consumePermit(desk.service.ctx, desk.program.caller, {
      request: request.id,
      digest: null,
    })
    expect((await refusal(none)).code).toBe('digest_required')
    expect((await take(request)).digest).toBe(request.digest)
  })

  test('is taken by keys of the owner whose program asked, by no other key and by no person', async () => {
    const request = await approved()
    const strangers = await addKey(desk.service.db, desk.linus)
    const input = { request: request.id, digest: request.digest }
    const { ctx } = desk.service
    expect((await refusal(consumePermit(ctx, strangers.caller, input))).code).toBe('forbidden')
    expect((await refusal(consumePermit(ctx, desk.grace.caller, input))).code).toBe('forbidden')
    const own = await addKey(desk.service.db, desk.grace)
    expect((await consumePermit(ctx, own.caller, input)).requestId).toBe(request.id)
  })

  // Rules: security.md 38
  test('that the proposer of a key has approved is not used by that key, which opens a request of its own', async () => {
    const { ctx, db } = desk.service
    const call = { tool: 'deploy', input: { service: 'shop' }, externalId: 'nightly' }
    const { requestId } = await openExternal(ctx, desk.program.caller, call)
    const request = await desk.read(requestId)
    const proposed = await addKey(db, desk.grace, desk.linus)
    const other = await addKey(db, desk.grace, desk.linus)
    const again = await refusal(openExternal(ctx, proposed.caller, call))
    expect(again).toMatchObject({ code: 'idempotency_key_reused', facts: { request: requestId } })
    expect(
      (await refusal(withdrawRequest(ctx, proposed.caller, { request: requestId }))).code,
    ).toBe('forbidden')
    await desk.decide(request, 'approve')
    const input = { request: requestId, digest: request.digest }
    expect((await refusal(consumePermit(ctx, proposed.caller, input))).code).toBe('forbidden')
    // A row that somebody writes puts nobody behind a request.
    const behind = { request_id: requestId, person_id: desk.linus.id, why: 'proposed_key' } as const
    await db.insertInto('request_principal').values(behind).execute()
    expect((await refusal(consumePermit(ctx, proposed.caller, input))).code).toBe('forbidden')
    await db.deleteFrom('request_principal').where('person_id', '=', desk.linus.id).execute()
    await consumePermit(ctx, desk.program.caller, input)
    const outcome = { request: requestId, state: 'succeeded', summary: null } as const
    expect((await refusal(reportOutcome(ctx, proposed.caller, outcome))).code).toBe('forbidden')
    // Grace and Linus are behind the key's own request, so somebody else has to be there.
    await addPerson(db, 'Barbara', ['platform'])
    const own = await openExternal(ctx, proposed.caller, { ...call, externalId: 'nightly-2' })
    await expect(desk.decide(await desk.read(own.requestId), 'approve')).rejects.toMatchObject({
      code: 'not_eligible',
    })
    // A key with the same proposer replaces it.
    await withdrawRequest(ctx, other.caller, { request: own.requestId })
  })

  test.each([
    ['was revoked', 'revoked_at', sql`clock_timestamp()`],
    ['has expired', 'expires_at', sql`clock_timestamp()`],
  ])('is not taken by a key that %s after it was looked up', async (_what, column, at) => {
    const request = await approved()
    const { caller, id } = await addKey(desk.service.db, desk.grace)
    await sql`update api_key set ${sql.ref(column)} = ${at} where id = ${id}`.execute(
      desk.service.db,
    )
    const taken = consumePermit(desk.service.ctx, caller, {
      request: request.id,
      digest: request.digest,
    })
    expect((await refusal(taken)).code).toBe('unauthenticated')
    expect((await take(request)).requestId).toBe(request.id)
  })

  // Rules: security.md 29
  test.each([
    ['owner', { owner_id: desk.ada.id }],
    ['end', { expires_at: new Date(Date.now() + 3_600_000) }],
  ])(
    'is not given to a key whose %s somebody changes in its row while it takes the permit',
    async (_, change) => {
      const request = await approved()
      const { ctx, db } = desk.service
      const key = { id: desk.program.id }
      const row = await rowOf(db, 'api_key', key)
      const input = { request: request.id, digest: request.digest }
      const changed = beforeTransaction(db, () => setRows(db, 'api_key', key, change))
      const taking = consumePermit({ ...ctx, db: changed }, desk.program.caller, input)
      const { code } = await refusal(taking)
      await setRows(db, 'api_key', key, { owner_id: row.owner_id, expires_at: row.expires_at })
      expect(code).toBe('unauthenticated')
      expect((await take(request)).requestId).toBe(request.id)
    },
  )

  test('does not exist before a decision, and never after a denial', async () => {
    const request = await desk.ask()
    expect(await refusal(take(request))).toMatchObject({
      code: 'conflict',
      facts: { state: 'pending' },
    })
    await desk.decide(request, 'deny')
    expect(await refusal(take(request))).toMatchObject({
      code: 'already_decided',
      facts: { state: 'denied', decidedBy: 'Linus', reason: 'looked' },
    })
  })

  test('is not given out after its hour, because it has lapsed', async () => {
    const request = await approved()
    const { db, ctx, signer } = desk.service
    // As an hour later: the row and the statement agree on a time that is over.
    await db.deleteFrom('permit').where('request_id', '=', request.id).execute()
    await db.transaction().execute((tx) =>
      issuePermit(tx, signer, {
        requestId: request.id,
        revision: 1,
        runId: null,
        callId: null,
        digest: request.digest,
        factsDigest: hashJson(request.facts),
        deciders: [desk.linus.id],
        policyDigest: request.policyDigest,
        attempt: 1,
        epoch: 1,
        now: new Date(Date.now() - 61 * 60 * 1000),
        permitForMs: 60 * 60 * 1000,
      }),
    )
    const input = { request: request.id, digest: request.digest }
    const late = await refusal(consumePermit(ctx, desk.program.caller, input))
    expect(late.code).toBe('expired')
    const row = await rowOf(db, 'permit', { request_id: request.id })
    expect(row.state).toBe('lapsed')
  })

  // Rules: security.md 13
  test('is not created by a row: another request’s permit, or a changed one, is refused', async () => {
    const [mine, other] = [await approved(), await approved()]
    const { db } = desk.service
    const theirs = await rowOf(
      db,
      'permit',
      { request_id: other.id },
      'statement',
      'signature',
      'key_id',
    )
    await db.updateTable('permit').set(theirs).where('request_id', '=', mine.id).execute()
    expect((await refusal(take(mine))).code).toBe('conflict')
    expect((await desk.read(mine.id)).execution.state).toBe('not_started')
  })

  // Rules: product.md 1, 14
  test('is not given out while policy blocks the call, and is again when it no longer does', async () => {
    const { ctx } = desk.service
    const request = await approved()
    const blocking = versionThatBlocks()
    const later = { ...ctx, policies: { ...ctx.policies, inForce: async () => blocking } }
    const input = { request: request.id, digest: request.digest }
    const refused = await refusal(consumePermit(later, desk.program.caller, input))
    expect([refused.status, refused.code]).toEqual([422, 'policy_blocked'])
    expect((await desk.auditOf(request.id)).at(-1)).toBe('permit.refused')
    expect(await take(request)).toMatchObject({ digest: request.digest })
  })

  test('is not given out by the rules of a version that was replaced before the permit is taken', async () => {
    const { ctx, policy } = desk.service
    const request = await approved()
    const blocking = versionThatBlocks()
    let inForce: Policy = policy
    const policies = {
      ...ctx.policies,
      // The permit is taken in a transaction: the other version is activated right before.
      inForce: async (on?: Tx) => (on === undefined ? inForce : (inForce = blocking)),
    }
    const input = { request: request.id, digest: request.digest }
    const late = consumePermit({ ...ctx, policies }, desk.program.caller, input)
    expect((await refusal(late)).code).toBe('policy_blocked')
    expect((await desk.auditOf(request.id)).at(-1)).toBe('permit.refused')
  })

  test('exists as soon as the decision is recorded, before Temporal has it', async () => {
    const request = await approved()
    const { id: decisionId } = await rowOf(desk.service.db, 'decision', { request_id: request.id })
    const stage = await waitForStage(desk.service.ctx, { decisionId, withinMs: 0 })
    expect(stage).toMatchObject({ stage: 'recorded', final: false })
    expect((await take(request)).requestId).toBe(request.id)
  })

  test('is void when the approval was revoked', async () => {
    const request = await approved()
    await revokePermit(desk.service.ctx, desk.linus.caller, { request: request.id, reason: 'wait' })
    expect(await refusal(take(request))).toMatchObject({
      code: 'cancelled',
      facts: { cancelReason: 'revoked' },
    })
    expect((await desk.read(request.id)).execution).toEqual({ state: 'refused', reason: 'revoked' })
  })
})

// Rules: product.md 7
test.each(Array.from({ length: 6 }, (_, round) => round % 2))(
  'of several acts on a request at the same moment one succeeds, and the others are refused with it (%i)',
  async (order) => {
    const { ctx } = desk.service
    const [waiting, granted] = [await desk.ask(), await approved()]
    const inOrder = <T>(all: readonly T[]): T[] => (order === 0 ? [...all] : all.toReversed())
    const ends = inOrder([
      () => withdrawRequest(ctx, desk.program.caller, { request: waiting.id }),
      () => desk.decide(waiting, 'approve'),
      () => desk.decide(waiting, 'deny'),
    ])
    const decided = await Promise.all(ends.map((end) => outcomeOf<unknown>(end())))
    expect(decided.filter((outcome) => 'answer' in outcome)).toHaveLength(1)
    const uses = inOrder([
      () => take(granted),
      () => revokePermit(ctx, desk.linus.caller, { request: granted.id, reason: 'wait' }),
    ])
    const used = await Promise.all(uses.map((use) => outcomeOf<unknown>(use())))
    expect(used.filter((outcome) => 'answer' in outcome)).toHaveLength(1)
    const [taken = null] = inOrder(used)
    const isTaken = taken !== null && 'answer' in taken
    expect((await desk.read(granted.id)).execution.state).toBe(isTaken ? 'started' : 'refused')
    const types = await desk.auditOf(waiting.id)
    const isEnd = ['decision.recorded', 'request.cancelled']
    expect(types.filter((type) => isEnd.includes(type))).toHaveLength(1)
    expect(types.includes('permit.issued')).toBe((await desk.read(waiting.id)).state === 'approved')
  },
)

describe('a request that nobody decides', () => {
  test('expires by the clock of the database, when its timer fires and when its program comes too late', async () => {
    const { db, ctx } = desk.service
    const [timed, taken] = [await desk.ask(), await desk.ask()]
    expect((await advanceExternal(ctx, { requestId: timed.id })).nextDeadlineMs).toBeGreaterThan(1)
    await db
      .updateTable('request')
      .set({ expires_at: past })
      .where('id', 'in', [timed.id, taken.id])
      .execute()
    expect(await advanceExternal(ctx, { requestId: timed.id })).toEqual({ nextDeadlineMs: null })
    expect((await refusal(take(taken))).code).toBe('expired')
    for (const { id } of [timed, taken]) {
      expect((await desk.read(id)).state).toBe('expired')
      expect(await desk.auditOf(id)).toContain('request.expired')
    }
  })

  // Rules: product.md 13
  test('leaves the queue when its program withdraws it, once, and wakes the callers that wait', async () => {
    const request = await desk.ask()
    const { ctx, db } = desk.service
    const withdraw = () => withdrawRequest(ctx, desk.program.caller, { request: request.id })
    const strangers = await addKey(db, desk.linus)
    const refused = await refusal(withdrawRequest(ctx, strangers.caller, { request: request.id }))
    expect(refused.code).toBe('forbidden')
    expect(await withdraw()).toEqual(await withdraw())
    expect(await desk.read(request.id)).toMatchObject({
      state: 'cancelled',
      cancelReason: 'withdrawn',
    })
    expect(await refusal(take(request))).toMatchObject({
      code: 'cancelled',
      facts: { cancelReason: 'withdrawn' },
    })
    const signals = await rowsOf(
      db,
      'outbox',
      { run_id: request.id, kind: 'signal_decided' },
      'kind',
    )
    expect(signals).toHaveLength(1)
    const decided = await approved()
    const late = await refusal(withdrawRequest(ctx, desk.program.caller, { request: decided.id }))
    expect(late.code).toBe('already_decided')
  })
})

// Rules: product.md 47
describe('the outcome of the call', () => {
  const report = (id: string, state: ExternalOutcome, summary: string | null = null) =>
    reportOutcome(desk.service.ctx, desk.program.caller, { request: id, state, summary })

  test('is reported once, after the permit was taken, and shown with the request', async () => {
    const request = await approved()
    expect((await refusal(report(request.id, 'succeeded'))).code).toBe('conflict')
    await take(request)
    await report(request.id, 'succeeded', 'rolled out')
    await report(request.id, 'succeeded', 'rolled out')
    expect((await refusal(report(request.id, 'failed'))).code).toBe('conflict')
    expect(await desk.read(request.id)).toMatchObject({
      execution: { state: 'succeeded', reason: 'reported' },
      external: { outcome: { state: 'succeeded', summary: 'rolled out' } },
    })
    expect((await desk.auditOf(request.id)).at(-1)).toBe('execution.finished')
  })

  test('that was unknown may be reported as the program finds it later, once, also by two at once', async () => {
    const request = await approved()
    await take(request)
    await report(request.id, 'unknown', 'the connection broke')
    expect((await refusal(report(request.id, 'unknown', 'no idea'))).code).toBe('conflict')
    const found = await Promise.all(
      (['succeeded', 'failed'] as const).map((state) => outcomeOf(report(request.id, state))),
    )
    const [answered] = found.flatMap((one) => ('answer' in one ? [one.answer] : []))
    expect(found.filter((one) => 'answer' in one)).toHaveLength(1)
    expect(await desk.read(request.id)).toMatchObject({
      execution: { state: answered?.state, reason: 'reported' },
      external: { outcome: { state: answered?.state, summary: null } },
    })
    expect((await desk.auditOf(request.id)).slice(-2)).toEqual([
      'execution.unknown',
      'execution.finished',
    ])
    expect((await refusal(report(request.id, 'unknown'))).code).toBe('conflict')
  })

  test('is reported by nobody but the owner of the key', async () => {
    const request = await approved()
    await take(request)
    const strangers = await addKey(desk.service.db, desk.linus)
    const outcome = { request: request.id, state: 'failed', summary: null } as const
    const refused = await refusal(reportOutcome(desk.service.ctx, strangers.caller, outcome))
    expect(refused.code).toBe('forbidden')
    expect((await desk.read(request.id)).execution.state).toBe('started')
  })
})
