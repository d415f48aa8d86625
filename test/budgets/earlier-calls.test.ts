import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readDecisionFacts } from '#services/requests/facts/decision-facts.ts'
import { openExternal } from '#services/external/open-external.ts'
import { openProgramDesk } from '#services/external/external.fixture.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { withQueryLog, type LoggedQuery } from '../harness/fixtures/count-queries.ts'
import { addRequest, addRun } from '../harness/fixtures/gated-run.ts'
import { costOf } from '../harness/fixtures/reading-cost.ts'
import { oneConnection } from './context-on.ts'

/** How often each call was requested and carried out two days ago, a quarter of all executions. */
const earlier = 5000

const desk = disposeAfterTests(await openProgramDesk())
const { service, linus, ada } = desk
const by = { startedBy: ada }

const ofProgram = await desk.ask()
const run = await addRun(service, by)
const ofRun = await addRequest(service, run)
const twin = await addRequest(service, await addRun(service, by))
const ids = { 'a program': ofProgram.id, 'a run': ofRun.id }

async function readFacts(requestId: string) {
  const queries: LoggedQuery[] = []
  await using tx = withQueryLog(desk.databaseUrl, queries)
  const { again } = await readDecisionFacts({ tx, seals: service.ctx.seals }, requestId, decider)
  return { again, blocks: (await costOf(desk.databaseUrl, queries)).blocks }
}

/** What counting the pending requests of a program's owner reads at an opening. */
async function blocksOfOpening(): Promise<number> {
  const queries: LoggedQuery[] = []
  await using logged = withQueryLog(desk.databaseUrl, queries)
  const input = { tool: 'deploy', input: {}, externalId: `opening-${queries.length}-${Date.now()}` }
  await openExternal({ ...service.ctx, db: logged }, desk.program.caller, input)
  const counts = queries.filter((query) => query.sql.includes('as "pending"'))
  expect(counts).toHaveLength(1)
  return (await costOf(desk.databaseUrl, counts)).blocks
}
const openingBefore = await blocksOfOpening()

const decider = { personId: linus.id, sessionHash: null }
/** Its one connection has prepared the statement before there were decisions. */
const db = disposeAfterTests(oneConnection(desk.databaseUrl))
for (let use = 0; use < 10; use += 1) {
  await readDecisionFacts({ tx: db, seals: service.ctx.seals }, ofProgram.id, decider)
}

const blocksBefore = new Map<string, number>()
for (const [who, id] of Object.entries(ids)) blocksBefore.set(who, (await readFacts(id)).blocks)
await sql`
  with another as (
    insert into request (id, kind, state, queue, team, risk, tool, title, digest, policy_digest, rule, routing,
      expires_at, epoch)
    select md5('earlier' || n)::uuid, kind, 'approved', queue, team, risk, tool, title, digest, policy_digest, rule,
      routing, expires_at, epoch
    from request, generate_series(1, ${earlier}::int) n where id = ${ofProgram.id} returning id)
  insert into external_request (request_id, owner_id, external_id, api_key_id, verdict, body_hash)
  select another.id, owner_id, external_id || another.id, api_key_id, verdict, body_hash
  from another, external_request where request_id = ${ofProgram.id}
`.execute(service.db)
await sql`update external_request set consumed_at = clock_timestamp() - interval '2 days'
  where request_id <> ${ofProgram.id}`.execute(service.db)
await sql`
  insert into execution (call_id, attempt, state, executed_digest, epoch, started_at)
  select ${twin.callId}::uuid, n, 'succeeded',
    case when n <= ${earlier} then ${twin.digest} else md5(n::text) end, 1, clock_timestamp() - interval '2 days'
  from generate_series(1, ${4 * earlier}::int) n
`.execute(service.db)
await sql`
  insert into decision (id, request_id, revision, person_id, decision, digest, channel)
  select gen_random_uuid(), id, 1, ${linus.id}, 'approve', digest, 'web'
  from request where id not in (${ofProgram.id}, ${ofRun.id}, ${twin.id})
`.execute(service.db)
const decisionsRead = await db.transaction().execute(async (tx) => {
  await readDecisionFacts({ tx, seals: service.ctx.seals }, ofProgram.id, decider)
  const { rows } = await sql<{ count: number }>`
    select (coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as count from pg_stat_xact_user_tables
    where relname = 'decision'
  `.execute(tx)
  return rows[0]?.count
})
await sql`vacuum analyze`.execute(service.db)

test.each(['a program', 'a run'] as const)(
  'a decision of %s reads as few blocks when its call was carried out 5,000 times before',
  async (who) => {
    const { again, blocks } = await readFacts(ids[who])
    expect(again).toBe(0)
    expect(blocks).toBeLessThanOrEqual((blocksBefore.get(who) ?? 0) + 10)
  },
)

test('a decision reads none of the 5,000 that its person made, by a plan of when there were none', () => {
  expect(decisionsRead).toBe(0)
})

test.each([
  { age: '23 hours', counted: 1 },
  { age: '25 hours', counted: 0 },
])(
  'a call that another request of a program carried out $age ago counts $counted times',
  async ({ age, counted }) => {
    await sql`update external_request set consumed_at = clock_timestamp() - ${age}::interval
      where request_id = md5('earlier1')::uuid`.execute(service.db)
    expect((await readFacts(ofProgram.id)).again).toBe(counted)
  },
)

test('an execution of the same run counts also when a restore lost when it began', async () => {
  const lost = await addRequest(service, run, { turn: 2 })
  await sql`insert into execution (call_id, attempt, state, executed_digest, epoch)
    values (${lost.callId}, 1, 'unknown', ${lost.digest}, 1)`.execute(service.db)
  expect((await readFacts(ofRun.id)).again).toBe(1)
})

test('an opening counts the 400 pending requests of its owner among 5,000 from few blocks', async () => {
  await sql`
    update request set state = 'pending', owner_id = ${desk.grace.id}
    where id in (select id from request where state = 'approved' limit 400)
  `.execute(service.db)
  await sql`vacuum analyze request`.execute(service.db)
  expect(await blocksOfOpening()).toBeLessThanOrEqual(openingBefore + 60)
})
