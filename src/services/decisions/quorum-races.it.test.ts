import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { sealRows } from '#test/harness/fixtures/keys/test-keys.ts'
import { brokenInvariants } from '#test/harness/fixtures/broken-invariants.ts'
import { addRequest, addRun, type TestRequest } from '#test/harness/fixtures/gated-run.ts'
import { judgedCall } from '#test/harness/fixtures/judged-call.ts'
import { type TestPerson, addPerson, joinTeam } from '#test/harness/fixtures/people.ts'
import { outcomeOf } from '#test/harness/fixtures/refusal.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { lockRun } from '../core/locks.ts'
import { advanceRequests } from '../requests/ending/advance-requests.ts'
import { cancelRun } from '../engine/lifecycle/cancel-run.ts'
import { decideRequest } from './decide-request.ts'
import { extendRequest } from '../requests/extend-request.ts'
import { reviseRequest } from '../revising/revise-request.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'

const people: TestPerson[] = []

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
service.answerJudging((question) => judgedCall(service, question, {}))
const ada = await addPerson(database.db, 'Ada', ['platform', 'security'])
const teams = [['platform'], ['security'], ['platform', 'security'], ['legal']]
for (let index = 0; index < 24; index += 1) {
  people.push(await addPerson(database.db, `Person ${index}`, teams[index % 4] ?? []))
}

const hour = 3_600_000
const quorum = {
  any: [
    [
      { team: 'platform', count: 2 },
      { team: 'security', count: 1 },
    ],
  ],
}
const steps = [
  { kind: 'remind', afterMs: 1 },
  { kind: 'escalate', afterMs: hour, addTeams: ['legal'] },
  { kind: 'remind', afterMs: 2 * hour },
] as const

const expected = [
  'already_decided',
  'already_voted',
  'cancelled',
  'expired',
  'invalid_request',
  'not_eligible',
  'not_found',
  'run_ended',
  'stale_digest',
  'stale_revision',
]

async function current(request: TestRequest): Promise<{ digest: string; revision: number }> {
  return rowOf(database.db, 'request', { id: request.id }, 'digest', 'revision')
}

/** The jobs of one request by all kinds of people; two of them leave or are disabled. */
function jobsOf(request: TestRequest, index: number): (() => Promise<unknown>)[] {
  const { ctx } = service
  const pick = (offset: number): TestPerson => people[(index * 5 + offset) % people.length] ?? ada
  const decide = (person: TestPerson, decision: 'approve' | 'deny') => async () => {
    const body = { decision, ...(await current(request)) }
    await decideRequest(ctx, person.caller, { request: request.id, body })
  }
  const votes = Array.from({ length: 8 }, (_, offset) => decide(pick(offset), 'approve'))
  const edit = async () => {
    const input = { path: 'notes/1.md', content: `edit ${index}` }
    const change = { request: request.id, input, ...(await current(request)) }
    await reviseRequest(ctx, pick(2).caller, change)
  }
  const move = async () => {
    const { id } = pick(1)
    await database.db.deleteFrom('team_member').where('person_id', '=', id).execute()
    await joinTeam(database.db, id, index % 2 === 0 ? 'platform' : 'security')
  }
  const disable = async () => {
    const { id } = people[index % 6] ?? ada
    const at = sql<Date>`coalesce(disabled_at, clock_timestamp())`
    await database.db.updateTable('person').set({ disabled_at: at }).where('id', '=', id).execute()
  }
  const extend = async () => {
    const expiresAt = new Date(Date.now() + 48 * hour).toISOString()
    await extendRequest(ctx, pick(3).caller, { request: request.id, expiresAt })
  }
  const letAnHourPass = () =>
    database.db.transaction().execute(async (tx) => {
      await lockRun(tx, request.runId)
      await sql`update request set created_at = created_at - interval '1 hour',
        next_step_at = next_step_at - interval '1 hour' where id = ${request.id}`.execute(tx)
      await sealRows(tx, 'request', 'id', request.id)
    })
  const runOut = () =>
    sql`update request set expires_at = clock_timestamp() where id = ${request.id} and state = 'pending'`.execute(
      database.db,
    )
  const advance = () => advanceRequests(ctx, { runId: request.runId })
  const jobs = [
    decide(ada, 'approve'),
    ...votes.slice(0, 3),
    advance,
    letAnHourPass,
    ...(index % 3 === 0 ? [edit] : []),
    advance,
    ...(index % 8 === 0 ? [disable] : []),
    ...(index % 2 === 0 ? [move] : []),
    ...votes.slice(3, 6),
    letAnHourPass,
    ...(index % 4 === 0 ? [runOut] : []),
    advance,
    ...(index % 5 === 0 ? [extend] : []),
    ...(index % 7 === 0 ? [decide(pick(4), 'deny')] : []),
    ...votes.slice(6),
    advance,
    advance,
    ...(index % 11 === 0 ? [() => cancelRun(ctx, ada.caller, { runId: request.runId })] : []),
  ]
  // Each request has them in another order.
  const first = (index * 7) % jobs.length
  return [...jobs.slice(first), ...jobs.slice(0, first)]
}

/** Permits from fewer or more than three people. */
async function withoutThreePeople(): Promise<unknown[]> {
  const { rows } = await sql`
    select request_id from permit
    where jsonb_array_length(statement::jsonb -> 'deciders') <> 3
  `.execute(database.db)
  return rows
}

// Rules: product.md 7, 12, 17, 18
describe('votes, edits, reminders, escalations, expiry, disabling, changes of team and cancels', () => {
  test('at the same time, by the hundred: no deadlock, one end each, each step once, and three distinct people, none behind the request', async () => {
    const roots = [
      await addRun(service, { startedBy: ada }),
      await addRun(service, { startedBy: ada }),
    ]
    const runs = [...roots]
    for (let index = 0; index < 10; index += 1) {
      const parent = roots[index % 2]
      runs.push(
        await addRun(service, { startedBy: ada, ...(parent === undefined ? {} : { parent }) }),
      )
    }
    const jobs: (() => Promise<unknown>)[][] = []
    for (let index = 0; index < 48; index += 1) {
      const run = runs[index % runs.length]
      if (run === undefined) throw new Error('no run')
      const request = await addRequest(service, run, {
        position: index,
        quorum,
        routing: { steps, edits: index % 2 === 0 ? 'approve' : 'revise' },
        expiresInMs: 24 * hour,
      })
      jobs.push(jobsOf(request, index))
    }
    // Side by side, not one request after the other.
    const mixed: (() => Promise<unknown>)[] = []
    for (let index = 0; index < 24; index += 1) {
      mixed.push(...jobs.flatMap((own) => own[index] ?? []))
    }
    expect(mixed.length).toBeGreaterThan(700)
    const queue = mixed.values()
    const refusals = new Set<string>()
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (const job of queue) {
          const one = await outcomeOf(job())
          if ('refusal' in one) refusals.add(one.refusal.code)
        }
      }),
    )
    expect([...refusals].filter((code) => !expected.includes(code))).toEqual([])
    await sql`update request set expires_at = clock_timestamp() where state = 'pending'`.execute(
      database.db,
    )
    for (const run of runs) await advanceRequests(service.ctx, { runId: run.id })
    expect(service.warnings).toEqual([])
    expect(await brokenInvariants(database.db)).toEqual([])
    expect(await withoutThreePeople()).toEqual([])
    const states = await database.db.selectFrom('request').select('state').distinct().execute()
    expect(states.map(({ state }) => state)).toEqual(
      expect.arrayContaining(['approved', 'expired']),
    )
    expect(states).not.toContainEqual({ state: 'pending' })
  })
})
