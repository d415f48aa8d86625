import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { brokenInvariants } from '#test/harness/fixtures/broken-invariants.ts'
import { addRequest, addRun, type TestRequest } from '#test/harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { outcomeOf } from '#test/harness/fixtures/refusal.ts'
import { createTestService, type TestService } from '#test/harness/fixtures/test-service.ts'
import { rowOf, rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { testSeals } from '#test/harness/fixtures/keys/test-keys.ts'
import { holdLock } from '#test/harness/hold-lock.ts'
import type { Policy } from '#policy/policy.ts'
import { disablePerson } from '../access/disable-person.ts'
import { syncGroupMembers } from '../access/oidc/sync-group-members.ts'
import { bySystem, service as serviceCaller } from '../core/authority.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { claimRequest } from '../requests/claim-request.ts'
import { cancelRun } from '../engine/lifecycle/cancel-run.ts'
import { messageRun } from '../runs/message-run.ts'
import { approving } from './decisions.fixture.ts'
import { decideMany } from './decide-many.ts'
import { decideRequest } from './decide-request.ts'
import { advanceRequests } from '../requests/ending/advance-requests.ts'
import { revokePermit } from '../permits/revoke-permit.ts'
import { activatePolicy } from '../policy/activate-policy.ts'

const approvers: TestPerson[] = []

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
const ada = await addPerson(database.db, 'Ada', [])
for (let index = 0; index < 50; index += 1) {
  approvers.push(await addPerson(database.db, `Approver ${index}`, ['platform']))
}

/** Requests of several runs in one transaction. */
function approveTogether(person: TestPerson, requests: readonly TestRequest[]) {
  return decideMany(service.ctx, person.caller, {
    decisions: requests.map((request) => ({
      requestId: request.id,
      ...approving(request),
      seen: request.presentationDigest,
    })),
  })
}

// Rules: product.md 7
describe('fifty people race one request', () => {
  test('one succeeds, and the other 49 get 409 with that person’s name', async () => {
    const request = await addRequest(service, await addRun(service, { startedBy: ada }))
    const attempts = approvers.map((person, index) =>
      outcomeOf(
        decideRequest(service.ctx, person.caller, {
          request: request.id,
          body:
            index % 2 === 0
              ? approving(request)
              : { decision: 'deny', digest: request.digest, revision: 1 },
          idempotencyKey: `race-${index}`,
        }),
      ),
    )
    const outcomes = await Promise.all(attempts)
    const winners = outcomes.flatMap((one, index) => ('answer' in one ? [{ index, ...one }] : []))
    expect(winners).toHaveLength(1)
    const winner = winners[0]!
    const losers = outcomes.flatMap((one) => ('refusal' in one ? [one.refusal] : []))
    expect(losers).toHaveLength(49)
    for (const loser of losers) {
      expect([loser.status, loser.code]).toEqual([409, 'already_decided'])
      expect(loser.facts['decidedBy']).toBe(approvers[winner.index]!.name)
      expect(loser.facts['state']).toBe(winner.answer.state)
    }
    const repeated = await decideRequest(service.ctx, approvers[winner.index]!.caller, {
      request: request.id,
      body:
        winner.index % 2 === 0
          ? approving(request)
          : { decision: 'deny', digest: request.digest, revision: 1 },
      idempotencyKey: `race-${winner.index}`,
    })
    expect(repeated).toEqual(winner.answer)
    const chain = await database.db
      .selectFrom('audit_event')
      .select(['type', 'sequence'])
      .where('request_id', '=', request.id)
      .orderBy('sequence')
      .execute()
    expect(chain.map((event) => event.sequence)).toEqual(chain.map((_, index) => index + 1))
    expect(chain.filter((event) => event.type === 'decision.refused')).toHaveLength(49)
  })
})

// Rules: product.md 18
describe('a person who stops counting while a decision that counts them is written', () => {
  interface Ending {
    readonly ctx: TestService['ctx']
    readonly policy: Policy
    readonly person: TestPerson
    readonly by: TestPerson
  }

  const waysToEnd = {
    async person_disabled({ ctx, policy, person, by }: Ending) {
      const rights = { ...policy.config.rights, managePeople: [{ team: 'operators' }] }
      const managed = { ...policy, config: { ...policy.config, rights } }
      const managing = { ...ctx, policies: { ...ctx.policies, inForce: async () => managed } }
      await disablePerson(managing, by.caller, { email: `${person.name}@example.com` })
    },
    // The project does not name the person.
    async membership_ended({ ctx, policy }: Ending) {
      await activatePolicy(ctx, { files: policy.files, note: null })
    },
    async teams_by_group({ ctx, policy, person }: Ending) {
      await inUnitOfWork(ctx, bySystem(ctx, serviceCaller), async (unit) => {
        await syncGroupMembers(unit, policy.config, person.id)
        const detail = { personId: person.id, change: 'teams_by_group' }
        await unit.audit({ type: 'credential.changed', detail })
      })
    },
  }

  test.each(
    (Object.keys(waysToEnd) as (keyof typeof waysToEnd)[]).flatMap((change) => [
      [change, 0] as const,
      [change, 1] as const,
    ]),
  )('is so after that decision in the trail too (%s, vote %i of two)', async (change, whose) => {
    await using own = await createTestDatabase()
    const { db } = own
    const at = await createTestService(db)
    const by = await addPerson(db, 'Olga', ['operators'])
    const voters = [
      await addPerson(db, 'first', ['platform']),
      await addPerson(db, 'second', ['platform']),
    ] as const
    const person = voters[whose]
    if (change === 'teams_by_group') {
      const [row] = await rowsOf(db, 'membership', { person_id: person.id })
      const until = { until: new Date(Date.now() + 60_000) }
      const seal = testSeals.of('membership', { ...row, ...until })
      await setRows(db, 'membership', { person_id: person.id }, { ...until, seal })
    }
    const run = await addRun(at, { startedBy: by })
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const request = await addRequest(at, run, { quorum })
    const vote = ({ caller }: TestPerson) =>
      decideRequest(at.ctx, caller, { request: request.id, body: approving(request) })
    await vote(voters[0])
    const held = await holdLock(db, sql`lock table decision in share mode`)
    const voting = vote(voters[1])
    await held.waitedForBy(1)
    const ending = waysToEnd[change]({ ...at, person, by })
    await Promise.race([ending, held.waitedForBy(2)])
    await held.release()
    await Promise.all([voting, ending])
    const { rows } = await sql<{ type: string }>`
      select type from audit_event join audit_unsequenced on event_id = id
      where request_id = ${request.id} or document::jsonb @> ${JSON.stringify({
        detail: { personId: person.id, change },
      })}::jsonb order by place`.execute(db)
    expect(rows.map(({ type }) => type).slice(-3)).toEqual([
      'decision.recorded',
      'permit.issued',
      'credential.changed',
    ])
  })
})

// Rules: product.md 7, 12
describe('an approval and an expiry at the same moment', () => {
  test('result in exactly one of the two every time, with a permit exactly when approved', async () => {
    const run = await addRun(service, { startedBy: ada })
    for (let round = 1; round <= 25; round += 1) {
      const request = await addRequest(service, run, { turn: round, expiresInMs: 12 })
      const person = approvers[round]!
      const [decided] = await Promise.all([
        outcomeOf(
          decideRequest(service.ctx, person.caller, {
            request: request.id,
            body: approving(request),
          }),
        ),
        advanceRequests(service.ctx, { runId: run.id }),
      ])
      await advanceRequests(service.ctx, { runId: run.id })
      const { state } = await rowOf(database.db, 'request', { id: request.id })
      const permits = await rowsOf(database.db, 'permit', { request_id: request.id }, 'id')
      if ('answer' in decided) expect([state, permits.length]).toEqual(['approved', 1])
      else {
        expect(decided.refusal.code).toBe('expired')
        expect(permits).toEqual([])
        expect(state).toBe('expired')
      }
    }
    const { pending_requests } = await rowOf(database.db, 'run', { id: run.id })
    expect(pending_requests).toBe(0)
  })
})

// Rules: product.md 8
describe('denials that stop, approvals, alone and of several runs together, claims, messages, revocations and cancels', () => {
  test('at the same time, by the thousand: no deadlock, no lost message and no wrong count', async () => {
    const root = await addRun(service, { startedBy: ada })
    const runs = [root]
    for (let index = 0; index < 11; index += 1) {
      const parent = runs[index % 3]!
      runs.push(await addRun(service, { startedBy: ada, parent }))
    }
    const requests: TestRequest[] = []
    for (const run of runs) {
      for (const position of [1, 2, 3, 4, 5, 6]) {
        requests.push(await addRequest(service, run, { position }))
      }
    }
    let posted = 0
    const work: (() => Promise<unknown>)[] = []
    for (const [index, request] of requests.entries()) {
      const deny = { decision: 'deny', then: 'stop', digest: request.digest, revision: 1 }
      const pick = (offset: number): TestPerson => approvers[(index * 7 + offset) % 50]!
      for (let repeat = 0; repeat < 4; repeat += 1) {
        work.push(() =>
          decideRequest(service.ctx, pick(repeat).caller, { request: request.id, body: deny }),
        )
        work.push(() =>
          decideRequest(service.ctx, pick(repeat + 4).caller, {
            request: request.id,
            body: approving(request),
          }),
        )
        const others = [index, index + 19, index + 38].map((at) => requests[at % requests.length]!)
        work.push(() => approveTogether(pick(repeat + 6), others))
        work.push(() => claimRequest(service.ctx, pick(repeat + 9).caller, { request: request.id }))
        work.push(() =>
          revokePermit(service.ctx, pick(repeat + 12).caller, {
            request: request.id,
            reason: 'not now',
          }),
        )
      }
      work.push(async () => {
        await messageRun(service.ctx, ada.caller, { runId: request.runId, text: `hello ${index}` })
        posted += 1
      })
    }
    for (const run of runs.slice(6)) {
      work.push(() => cancelRun(service.ctx, ada.caller, { runId: run.id }))
    }
    const shuffled = work
      .map((job, index) => ({ job, key: (index * 7919) % work.length }))
      .toSorted((left, right) => left.key - right.key)
      .map((one) => one.job)
    expect(shuffled.length).toBeGreaterThan(1000)
    const queue = shuffled.values()
    const refusals = new Map<string, number>()
    await Promise.all(
      Array.from({ length: 18 }, async () => {
        for (const job of queue) {
          const one = await outcomeOf(job())
          if ('refusal' in one) {
            refusals.set(one.refusal.code, (refusals.get(one.refusal.code) ?? 0) + 1)
          }
        }
      }),
    )
    expect(service.warnings).toEqual([])
    const expected = [
      'already_decided',
      'cancelled',
      'claimed',
      'conflict',
      'run_ended',
      'not_eligible',
    ]
    expect([...refusals.keys()].filter((code) => !expected.includes(code))).toEqual([])
    const messages = await database.db
      .selectFrom('message')
      .select('id')
      .where(
        'run_id',
        'in',
        runs.map((run) => run.id),
      )
      .execute()
    expect(messages).toHaveLength(posted)
    expect(await brokenInvariants(database.db)).toEqual([])
    const live = await sql<{ wrong: number }>`
      select count(*)::int as wrong from permit join request on request.id = permit.request_id
      where permit.state = 'live' and exists (
        select 1 from request stop where stop.run_id = request.run_id and stop.turn = request.turn
          and stop.position < request.position and stop.denied_then = 'stop' and stop.decided_at > permit.issued_at)
    `.execute(database.db)
    expect(live.rows[0]?.wrong).toBe(0)
  })
})
