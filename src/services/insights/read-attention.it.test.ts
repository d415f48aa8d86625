import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { addRequest, type TestRequest } from '#test/harness/fixtures/gated-run.ts'
import type { TestPerson } from '#test/harness/fixtures/people.ts'
import { costOf } from '#test/harness/fixtures/reading-cost.ts'
import { decideRequest } from '../decisions/decide-request.ts'
import { claimRequest } from '../requests/claim-request.ts'
import { listRequests } from '../requests/lists/list-requests.ts'
import { openInsightDesk } from './insights.fixture.ts'
import { readAttention, readInsights } from './read-insights.ts'

const hostile = '<img src=x onerror=alert(1)>\u202e'
/** 40 seconds for a fast reader */
const long = 'x'.repeat(1998)

const requests: TestRequest[] = []
const numbers = new Map<string, number>()

const { database, db, service, people, run } = disposeAfterTests(await openInsightDesk())
for (const [position, content] of [long, 'short', long, 'a', 'b', long].entries()) {
  const path = position === 4 ? hostile : `notes/${position % 5}.md`
  const input = { path, content }
  requests.push(await addRequest(service, run, { position: position + 1, input }))
}
const decide = (at: number, decider: TestPerson, decision: 'approve' | 'deny') => {
  const { id, digest } = requestAt(at)
  const body = { decision, digest, revision: 1 }
  return decideRequest(service.ctx, decider.caller, { request: id, body })
}
await decide(0, people.grace, 'approve')
await decide(1, people.grace, 'approve')
await decide(2, people.linus, 'approve')
await decide(5, people.grace, 'deny')
await claimRequest(service.ctx, people.grace.caller, { request: requestAt(3).id })
const took = [3, 60, 120].map(
  (
    seconds,
    at,
  ) => sql`update decision set at = revision.created_at + ${seconds} * interval '1 second'
    from request_revision revision
    where decision.request_id = ${requestAt(at).id} and revision.request_id = decision.request_id`,
)
for (const query of took) await query.execute(db)
await sql`update request set state = 'expired' where state = 'pending'`.execute(db)
const { rows } = await sql<{ id: string; number: number }>`
  select id, number::int as number from request`.execute(db)
for (const { id, number } of rows) numbers.set(id, number)

function requestAt(at: number): TestRequest {
  const request = requests[at]
  if (request === undefined) throw new Error(`there is no request at ${at}`)
  return request
}
const numberAt = (at: number) => numbers.get(requestAt(at).id)
const attention = (person: TestPerson) => readAttention(service.ctx, person.caller, {})

test('an approval faster than its text can be read is found: one’s own, and those of others only by people who read the trail', async () => {
  const { fastApprovals } = await attention(people.grace)
  const own = {
    person: { id: people.grace.id, name: 'Grace' },
    at: expect.any(Date),
    seconds: 3,
    readSeconds: 40,
    title: 'Write "notes/0.md"',
    requests: [numberAt(0)],
  }
  expect(fastApprovals).toEqual({ count: 1, items: [own] })
  // Two minutes are enough for the same text.
  expect((await attention(people.linus)).fastApprovals).toEqual({ count: 0, items: [] })
  expect((await attention(people.aud)).fastApprovals).toEqual({ count: 1, items: [own] })
  // Of a long file whose difference is short, the difference is read.
  const show = (at: number) =>
    sql`update request_revision set presentation_hash =
      (select presentation_hash from request_revision where request_id = ${requestAt(at).id})
      where request_id = ${requestAt(0).id}`
  const { rows } = await sql<{ hash: string }>`
    select presentation_hash as hash from request_revision where request_id = ${requestAt(0).id}`.execute(
    db,
  )
  await show(1).execute(db)
  const { items } = (await attention(people.grace)).fastApprovals
  expect(items).toHaveLength(1)
  expect(items[0]?.readSeconds).toBeLessThan(40)
  await sql`update request_revision set presentation_hash = ${rows[0]?.hash}
    where request_id = ${requestAt(0).id}`.execute(db)
})

test('requests that expired without any action are found, with their titles as written; a list has the same ones', async () => {
  const { expiredUnseen } = await attention(people.grace)
  expect(expiredUnseen).toMatchObject({
    count: 1,
    items: [{ number: numberAt(4), title: `Write ${JSON.stringify(hostile)}`, queue: 'platform' }],
  })
  const list = await listRequests(service.ctx, people.grace.caller, { unseen: true })
  expect(list.items.map(({ id }) => id)).toEqual([requestAt(4).id])
})

test('a call that two steps asked for is found once, with its outcomes', async () => {
  const { askedTwice } = await attention(people.grace)
  expect(askedTwice).toEqual({
    count: 1,
    items: [
      {
        tool: 'write_file',
        title: 'Write "notes/0.md"',
        times: 2,
        approved: 1,
        denied: 1,
        requests: [numberAt(5), numberAt(0)],
      },
    ],
  })
})

test('the load covers every day of the period, days without requests too', async () => {
  const { days } = await attention(people.grace)
  expect(days).toHaveLength(31)
  expect(days[0]).toMatchObject({ opened: 0, waiting: 0 })
  // They are of two days if midnight came between them.
  const sums = { opened: 0, approved: 0, denied: 0, expired: 0 }
  for (const day of days.slice(-2)) {
    for (const count of ['opened', 'approved', 'denied', 'expired'] as const)
      sums[count] += day[count]
  }
  expect(sums).toEqual({ opened: 6, approved: 3, denied: 1, expired: 2 })
})

test('a question that expired is called by its title, as in the inbox', async () => {
  const { id } = requestAt(4)
  await sql`update request set kind = 'question', title = 'Ask: Which file?'
    where id = ${id}`.execute(db)
  await sql`update request_revision set effect = 'Answer: Which file?'
    where request_id = ${id}`.execute(db)
  const { expiredUnseen } = await attention(people.grace)
  expect(expiredUnseen.items).toMatchObject([{ number: numberAt(4), title: 'Ask: Which file?' }])
})

// Rules: security.md 22
test('no figure includes requests that the caller may not see', async () => {
  const { days, fastApprovals, expiredUnseen, askedTwice } = await attention(people.sam)
  expect([fastApprovals.count, expiredUnseen.count, askedTwice.count]).toEqual([0, 0, 0])
  expect(days.every(({ opened }) => opened === 0)).toBe(true)
})

test('the uses of a grant count where it was given, and for its giver', async () => {
  await sql`insert into approval_grant (id, root_run_id, tool, scope, digest, queue, team,
      granted_by, request_id, uses, statement, signature, key_id)
    select gen_random_uuid(), run_id, tool, 'run', digest, queue, team, ${people.grace.id}, id, 7,
      '', '', '' from request where id = ${requestAt(0).id}`.execute(database.db)
  await sql`update decision set scope = 'run' where request_id = ${requestAt(0).id}`.execute(
    database.db,
  )
  for (const by of ['queue', 'rule', 'person'] as const) {
    const { items } = await readInsights(service.ctx, people.grace.caller, { by })
    expect(items).toMatchObject([{ grantsUsed: 7 }])
  }
})

test('reading time starts no earlier than the previous approval, and one action counts as one reading', async () => {
  const { db } = database
  await sql`update decision set person_id = ${people.grace.id}, at = at - interval '40 seconds'
    where request_id = ${requestAt(2).id}`.execute(db)
  // Shown 80 seconds before, but only 20 after the one at 60.
  expect((await attention(people.grace)).fastApprovals.items).toMatchObject([
    { readSeconds: 40, requests: [numberAt(2)] },
    { seconds: 3, requests: [numberAt(0)] },
  ])
  await sql`update decision set batch_decision_id = ${requestAt(0).id}
    where decision = 'approve'`.execute(db)
  // 4,000 characters in 80 seconds, which is as fast as reading can be.
  expect((await attention(people.grace)).fastApprovals.items).toMatchObject([
    { readSeconds: 81, requests: [numberAt(2), numberAt(1), numberAt(0)] },
  ])
  await sql`update decision set at = at + interval '2 seconds' where decision = 'approve'`.execute(
    db,
  )
  expect((await attention(people.grace)).fastApprovals.items).toEqual([])
})

test('the cost of reading depends on the period, not on the size of the tables', async () => {
  await sql`
    insert into request (id, kind, state, queue, team, risk, tool, title, digest, policy_digest, rule, routing,
      run_id, root_run_id, turn, position, created_at, expires_at, epoch)
    select gen_random_uuid(), kind, 'expired', queue, team, risk, tool, title, digest, policy_digest, rule, routing,
      run_id, root_run_id, turn, position, created_at - interval '100 days' - n * interval '1 minute', expires_at, epoch
    from request, generate_series(1, 20000) n where id = ${requestAt(4).id}
  `.execute(database.db)
  await sql`analyze`.execute(database.db)
  const queries: LoggedQuery[] = []
  await using db = withQueryLog(database.url, queries)
  await readAttention({ ...service.ctx, db }, people.grace.caller, {})
  const cost = await costOf(database.url, queries, new Set(['request']))
  expect(cost.unindexed).toEqual([])
  expect(cost.rows, JSON.stringify(cost)).toBeLessThan(100)
})
