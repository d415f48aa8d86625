import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RequestState } from '#domain/requests/request.ts'
import { requestTransitions, transition, type RequestEvent } from '#domain/requests/transitions.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { brokenInvariants } from '#test/harness/fixtures/broken-invariants.ts'
import { addRequest, addRun } from '#test/harness/fixtures/gated-run.ts'
import { judgedCall } from '#test/harness/fixtures/judged-call.ts'
import { type TestPerson, addPerson, joinTeam } from '#test/harness/fixtures/people.ts'
import { outcomeOf } from '#test/harness/fixtures/refusal.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { rowOf, setRows } from '#test/harness/fixtures/rows.ts'
import { cancelRun } from '../engine/lifecycle/cancel-run.ts'
import { decideRequest } from './decide-request.ts'
import { advanceRequests } from '../requests/ending/advance-requests.ts'
import { reviseRequest } from '../revising/revise-request.ts'

const people: TestPerson[] = []

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
service.answerJudging((question) => judgedCall(service, question, {}))
const ada = await addPerson(database.db, 'Ada', [])
for (const name of ['Grace', 'Linus', 'Barbara']) {
  people.push(await addPerson(database.db, name, ['platform']))
}

interface PersonStep<Does extends string> {
  readonly do: Does
  readonly who: number
}
interface Happening<Does extends string> {
  readonly do: Does
}
type Act = PersonStep<'approve'> | PersonStep<'deny'> | PersonStep<'revise'>
type Step =
  | Act
  | PersonStep<'leave'>
  | PersonStep<'join'>
  | Happening<'run-out'>
  | Happening<'propose-expiry'>
  | Happening<'cancel'>

const who = fc.integer({ min: 0, max: 2 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('approve' as const), who }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('deny', 'revise', 'leave', 'join'), who }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('run-out', 'cancel') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('propose-expiry' as const) }) },
)

/** A request that needs two of platform, by the rulings alone and without a database. */
class Model {
  state: RequestState = 'pending'
  revision = 1
  votes = new Set<number>()
  members = new Set([0, 1, 2])
  over = false

  /** Takes a step and returns its answer: `ok`, or the code of the refusal. */
  take(step: Step): string {
    switch (step.do) {
      case 'leave':
        this.members.delete(step.who)
        return 'ok'
      case 'join':
        this.members.add(step.who)
        return 'ok'
      case 'run-out':
        this.over = true
        return 'ok'
      case 'propose-expiry':
        if (this.over) this.move('expire')
        return 'ok'
      case 'cancel':
        if (this.state === 'pending') this.move('cancel')
        return 'ok'
      case 'approve':
      case 'deny':
      case 'revise':
        return this.act(step)
    }
  }

  private act(step: Act): string {
    if (!this.members.has(step.who)) return 'not_found'
    if (this.state === 'approved' || this.state === 'denied') return 'already_decided'
    if (this.state !== 'pending') return this.state
    if (this.over) {
      this.move('expire')
      return 'expired'
    }
    if (step.do === 'revise') {
      this.revision += 1
      this.votes.clear()
      return 'ok'
    }
    if (this.votes.has(step.who)) return 'already_voted'
    this.votes.add(step.who)
    if (step.do === 'deny') this.move('deny')
    else
      this.move(
        [...this.votes].filter((one) => this.members.has(one)).length >= 2 ? 'approve' : 'count',
      )
    return 'ok'
  }

  private move(event: RequestEvent): void {
    this.state = transition(requestTransitions, this.state, event) ?? this.state
  }
}

/** The same steps through the real verbs. */
async function actor() {
  const run = await addRun(service, { startedBy: ada })
  const quorum = { any: [[{ team: 'platform', count: 2 }]] }
  const request = await addRequest(service, run, { quorum })
  const { db } = database
  let { digest } = request
  let revision = 1
  const take = async (step: Step): Promise<void> => {
    if (step.do === 'run-out') {
      await setRows(db, 'request', { id: request.id }, { expires_at: new Date(0) })
    } else if (step.do === 'propose-expiry') {
      await advanceRequests(service.ctx, { runId: run.id })
    } else if (step.do === 'cancel') {
      await cancelRun(service.ctx, ada.caller, { runId: run.id })
    } else {
      const { id, caller } = people[step.who]!
      if (step.do === 'leave') {
        await db.deleteFrom('team_member').where('person_id', '=', id).execute()
      } else if (step.do === 'join') {
        await joinTeam(db, id, 'platform')
      } else if (step.do === 'revise') {
        const input = { path: 'notes/1.md', content: `revision ${revision + 1}` }
        const change = { request: request.id, input, digest, revision }
        ;({ digest, revision } = await reviseRequest(service.ctx, caller, change))
      } else {
        const body = { decision: step.do, digest, revision }
        await decideRequest(service.ctx, caller, { request: request.id, body })
      }
    }
  }
  return { run, request, take }
}

async function codeOf(attempt: Promise<void>): Promise<string> {
  const outcome = await outcomeOf(attempt)
  return 'refusal' in outcome ? outcome.refusal.code : 'ok'
}

// Rules: product.md 6, 7, 11, 12, 13, 18
test('any sequence of votes, edits, departures, expiries and cancels ends as the rules require', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const real = await actor()
      for (const index of people.keys()) await real.take({ do: 'join', who: index })
      const model = new Model()
      for (const one of steps) {
        const cancelledTwice = one.do === 'cancel' && (await runEnded(real.run.id))
        if (cancelledTwice) continue
        expect(await codeOf(real.take(one)), JSON.stringify(one)).toBe(model.take(one))
      }
      const row = await database.db
        .selectFrom('request')
        .innerJoin('run', 'run.id', 'request.run_id')
        .leftJoin('permit', 'permit.request_id', 'request.id')
        .select([
          'request.state',
          'request.revision',
          'run.pending_requests',
          'permit.revision as permit',
        ])
        .where('request.id', '=', real.request.id)
        .executeTakeFirstOrThrow()
      expect(row).toEqual({
        state: model.state,
        revision: model.revision,
        pending_requests: model.state === 'pending' ? 1 : 0,
        permit: model.state === 'approved' ? model.revision : null,
      })
    }),
    { numRuns: 25 },
  )
  expect(await brokenInvariants(database.db)).toEqual([])
})

async function runEnded(runId: string): Promise<boolean> {
  const run = await rowOf(database.db, 'run', { id: runId })
  return run.ended_at !== null
}
