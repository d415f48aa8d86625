import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { addRequest } from '#test/harness/fixtures/gated-run.ts'
import type { TestPerson } from '#test/harness/fixtures/people.ts'
import { costOf } from '#test/harness/fixtures/reading-cost.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { insightKeys, type InsightKey } from '#domain/insight-key.ts'
import { decideRequest } from '../decisions/decide-request.ts'
import { listRequests, type ListRequestsInput } from '../requests/lists/list-requests.ts'
import { openInsightDesk } from './insights.fixture.ts'
import { readInsights } from './read-insights.ts'

const { database, db, service, people, run } = disposeAfterTests(await openInsightDesk())
for (const [position, decision] of ['approve', 'approve', 'deny', null, null].entries()) {
  const request = await addRequest(service, run, { position: position + 1 })
  if (decision === null) continue
  const decider = position === 0 ? people.linus : people.grace
  const body = { decision, digest: request.digest, revision: 1 }
  await decideRequest(service.ctx, decider.caller, { request: request.id, body })
  await sql`update request set decided_at = created_at + ${(position + 1) * 10} * interval '1 second' where id = ${request.id}`.execute(
    db,
  )
  await sql`update decision set at = (select decided_at from request where id = request_id) where request_id = ${request.id}`.execute(
    db,
  )
}

const by = async (key: InsightKey, person: TestPerson) =>
  (await readInsights(service.ctx, person.caller, { by: key })).items

describe('the outcomes of requests', () => {
  test.each([
    ['queue', 'platform'],
    ['worker', 'scribe'],
    ['tool', 'write_file'],
    ['rule', expect.any(String)],
  ] as const)('are counted by %s, with decision times and waiting requests', async (key, name) => {
    const items = await by(key, people.grace)
    expect(items).toEqual([
      {
        key: name,
        name: key === 'rule' ? expect.any(String) : name,
        opened: 5,
        approved: 2,
        denied: 1,
        expired: 0,
        carriedOut: 0,
        failed: 0,
        grantsUsed: 0,
        medianSeconds: 20,
        p90Seconds: 28,
        waiting: 2,
        waitingByAge: { hour: 2, day: 0, week: 0, longer: 0 },
        oldestAt: expect.any(Date),
      },
    ])
  })

  test('by person show one’s own decisions and waiting requests; those of others only to people who read the trail', async () => {
    const grace = {
      key: people.grace.id,
      name: 'Grace',
      approved: 1,
      denied: 1,
      medianSeconds: 25,
      waiting: 2,
    }
    const own = await by('person', people.grace)
    expect(own).toEqual([expect.objectContaining(grace)])
    const all = await by('person', people.aud)
    expect(all).toEqual([
      expect.objectContaining(grace),
      expect.objectContaining({ name: 'Linus', approved: 1, denied: 0, medianSeconds: 10 }),
    ])
    // What somebody started at an earlier address waits for others.
    const row = database.db.updateTable('person').where('id', '=', people.grace.id)
    await row.set({ other_ids: [people.ada.id] }).execute()
    expect((await by('person', people.grace))[0]).toMatchObject({ ...grace, waiting: 0 })
    await row.set({ other_ids: null }).execute()
  })

  test('have a list of requests behind every figure, with as many entries', async () => {
    const to = new Date()
    const from = new Date(to.getTime() - 3_600_000)
    for (const key of insightKeys) {
      const { items } = await readInsights(service.ctx, people.grace.caller, { by: key, from, to })
      const [group] = items
      if (group === undefined) throw new Error(`nothing by ${key}`)
      const of = async (filters: ListRequestsInput) =>
        (await listRequests(service.ctx, people.grace.caller, { from, to, ...filters })).items
          .length
      const own = key === 'person' ? { decidedBy: group.key } : { [key]: group.key }
      expect(await of(own), key).toBe(group.opened)
      const approved =
        key === 'person' ? { decision: 'approve' as const } : { state: 'approved' as const }
      expect(await of({ ...own, ...approved }), key).toBe(group.approved)
      expect(await of({ ...own, effect: 'succeeded' }), key).toBe(group.carriedOut)
      const decided = key === 'person' ? {} : { decided: true }
      expect(await of({ ...own, ...decided }), key).toBe(group.approved + group.denied)
      expect(await of({ ...own, grantsUsed: true }), key).toBe(0)
      expect(await of({ ...own, from: to, to: new Date(to.getTime() + 1) }), key).toBe(0)
    }
    const none = { decidedBy: people.sam.id, from, to }
    expect((await listRequests(service.ctx, people.grace.caller, none)).items).toEqual([])
  })

  test('say how long waiting requests had waited at the end of the period', async () => {
    const hour = 3_600_000
    const at = async (hours: number) => {
      const to = new Date(Date.now() + hours * hour)
      const times = { from: new Date(to.getTime() - hour), to }
      const { items } = await readInsights(service.ctx, people.grace.caller, {
        by: 'queue',
        ...times,
      })
      return items[0]?.waitingByAge
    }
    expect(await at(2)).toEqual({ hour: 0, day: 2, week: 0, longer: 0 })
    expect(await at(30)).toEqual({ hour: 0, day: 0, week: 2, longer: 0 })
    expect(await at(24 * 8)).toEqual({ hour: 0, day: 0, week: 0, longer: 2 })
  })

  test('lead from the uses of grants to the approvals that gave them, and those of one person to theirs', async () => {
    const { db } = database
    const { rows } = await sql<{ id: string }>`select request.id from request
      join decision on decision.request_id = request.id
      where decision.person_id = ${people.grace.id} and decision.decision = 'approve'`.execute(db)
    const request = rows[0]?.id ?? ''
    await sql`insert into approval_grant (id, root_run_id, tool, scope, digest, queue, team, granted_by,
        request_id, uses, statement, signature, key_id)
      select gen_random_uuid(), root_run_id, tool, 'run', digest, queue, team, ${people.grace.id}, id, 3, '', '', ''
      from request where id = ${request}`.execute(db)
    expect(await by('queue', people.grace)).toMatchObject([{ grantsUsed: 3 }])
    const used = async (more: ListRequestsInput) =>
      (await listRequests(service.ctx, people.grace.caller, { grantsUsed: true, ...more })).items
    expect((await used({})).map(({ id }) => id)).toEqual([request])
    expect(await used({ decidedBy: people.grace.id })).toHaveLength(1)
    expect(await used({ decidedBy: people.linus.id })).toEqual([])
  })

  // Rules: security.md 22
  test.each(insightKeys)(
    'are counted by %s only for requests that the caller may see',
    async (key) => {
      expect(await by(key, people.sam)).toEqual([])
    },
  )

  test('cover the requested period, 92 days at most', async () => {
    const hour = 3_600_000
    const of = async (from: number, to: number) => {
      const times = { from: new Date(Date.now() + from), to: new Date(Date.now() + to) }
      return readInsights(service.ctx, people.grace.caller, { by: 'queue', ...times })
    }
    expect((await of(-2 * hour, -hour)).items).toMatchObject([{ opened: 0, waiting: 2 }])
    expect((await of(-hour, hour)).items).toMatchObject([{ opened: 5 }])
    for (const [from, to] of [
      [hour, -hour],
      [0, 0],
      [-93 * 24 * hour, 0],
    ] as const) {
      expect((await refusal(of(from, to))).code).toBe('invalid_request')
    }
  })
})

describe('the cost of insights depends on the period, not on the size of the table', () => {
  /** what each read without the requests of others */
  const rowsAlone = new Map<InsightKey, number>()

  async function read(key: InsightKey) {
    const queries: LoggedQuery[] = []
    await using db = withQueryLog(database.url, queries)
    const { items } = await readInsights({ ...service.ctx, db }, people.grace.caller, { by: key })
    expect(items[0]).toMatchObject({ waiting: 2 })
    return costOf(database.url, queries, new Set(['request']))
  }

  beforeAll(async () => {
    await sql`
      insert into request (id, kind, state, queue, team, risk, tool, title, digest, policy_digest, rule, routing,
        run_id, root_run_id, turn, position, created_at, expires_at, epoch)
      select gen_random_uuid(), kind, 'approved', queue, team, risk, tool, title, digest, policy_digest, rule, routing,
        run_id, root_run_id, turn, position, created_at - interval '100 days' - n * interval '1 minute', expires_at, epoch
      from request, generate_series(1, 20000) n where request.run_id = ${run.id} and request.position = 5
    `.execute(database.db)
    await sql`analyze`.execute(database.db)
    for (const key of insightKeys) rowsAlone.set(key, (await read(key)).rows)
    // Within the time, of runs that Grace may not see: who sees them is looked up for each.
    await sql`
      with others as (
        insert into run (id, root_run_id, worker, worker_digest, policy_digest, mode, state, input_digest,
          title, started_by, workflow_id, task_queue, turn, pending_requests, epoch, signature, key_id)
        select id, id, worker, worker_digest, policy_digest, mode, 'completed', input_digest,
          title, started_by, 'run-' || id, task_queue, 1, 0, epoch, signature, key_id
        from (select gen_random_uuid() as id, run.worker, run.worker_digest, run.policy_digest, run.mode,
            run.input_digest, run.title, run.started_by, run.task_queue, run.epoch, run.signature, run.key_id
          from run, generate_series(1, 3000) where run.id = ${run.id}) as more
        returning id)
      insert into request (id, kind, state, queue, team, risk, tool, title, digest, policy_digest, rule, routing,
        run_id, root_run_id, turn, position, expires_at, epoch)
      select gen_random_uuid(), kind, 'approved', 'security', 'security', risk, tool, title, digest, policy_digest, rule,
        replace(routing::text, 'platform', 'security')::jsonb,
        others.id, others.id, turn, 1, expires_at, epoch
      from request, others where request.run_id = ${run.id} and request.position = 5
        and request.created_at > now() - interval '1 day'
    `.execute(database.db)
    await sql`analyze`.execute(database.db)
  })

  test.each(insightKeys)('by %s', async (key) => {
    expect(rowsAlone.get(key)).toBeLessThan(100)
    const cost = await read(key)
    expect(cost.unindexed).toEqual([])
    expect(cost.rows, JSON.stringify(cost)).toBeLessThan(10_000)
  })
})
