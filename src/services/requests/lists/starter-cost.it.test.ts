import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { addRequest, addRun } from '#test/harness/fixtures/gated-run.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { costOf } from '#test/harness/fixtures/reading-cost.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { readAudit } from '../../audit/read-audit.ts'
import type { ServiceContext } from '../../core/context.ts'
import { listRuns } from '../../runs/reading/list-runs.ts'
import { searchService } from '../../search/search-service.ts'
import { listQueues } from './list-queues.ts'
import { listRequests } from './list-requests.ts'

/** Runs in the smaller and in the larger database, of which the newest 500 wait. */
const few = 2_000
const many = 30_000
/** The most blocks that a page of the larger one may touch, as a multiple of the smaller one. */
const maxGrowth = 3

const costsOfFew = new Map<string, number>()

const pages: Readonly<Record<string, (ctx: ServiceContext) => Promise<readonly unknown[]>>> = {
  requests: async (ctx) => (await listRequests(ctx, ada.caller, {})).items,
  'requests, newest first': async (ctx) =>
    (await listRequests(ctx, ada.caller, { sort: 'createdAt' })).items,
  'requests that were approved': async (ctx) =>
    (await listRequests(ctx, ada.caller, { state: 'approved' })).items,
  'requests that wait': async (ctx) =>
    (await listRequests(ctx, ada.caller, { state: 'pending' })).items,
  'a search': async (ctx) => await searchService(ctx, ada.caller, { q: 'write' }),
  runs: async (ctx) => (await listRuns(ctx, ada.caller, {})).items,
  queues: async (ctx) => (await listQueues(ctx, ada.caller, {})).items,
  trail: async (ctx) => (await readAudit(ctx, ada.caller, { keyReadsAudit: false })).documents,
}

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
/** In no team; started one run in thirty. */
const ada = await addPerson(database.db, 'Ada', [])
const other = await addPerson(database.db, 'Edsger', [])
const first = await addRequest(service, await addRun(service, { startedBy: other }))
await addMany(first.id, 1, few)
for (const name of Object.keys(pages)) costsOfFew.set(name, await blocksOf(name))
await addMany(first.id, few + 1, many)

/** Runs, each with one request and five events of it, a minute older than the one before. */
async function addMany(like: string, from: number, to: number): Promise<void> {
  await sql`
    with many as (
      insert into run (id, root_run_id, worker, worker_digest, policy_digest, mode, title, input_digest, started_by,
        workflow_id, task_queue, epoch, signature, key_id, created_at)
      select md5(n::text)::uuid, md5(n::text)::uuid, worker, worker_digest, policy_digest, mode, title, input_digest,
        case when n % 30 = 0 then ${ada.id} else started_by end, 'many-' || n, task_queue, epoch, signature, key_id,
        created_at - n * interval '1 minute'
      from run, generate_series(${from}::int, ${to}::int) n
      where run.id = (select run_id from request where id = ${like}) returning id)
    insert into run_lineage (run_id, ancestor_id, depth) select id, id, 0 from many
  `.execute(database.db)
  await sql`
    insert into request (id, kind, state, queue, team, risk, tool, title, digest, policy_digest, rule, routing,
      run_id, root_run_id, turn, position, created_at, expires_at, epoch)
    select md5('request' || n)::uuid, kind, case when n <= 500 then 'pending' else 'approved' end, queue, team, risk,
      tool, title, digest, policy_digest, rule, routing, md5(n::text)::uuid, md5(n::text)::uuid, turn, position,
      created_at - n * interval '1 minute', expires_at, epoch
    from request, generate_series(${from}::int, ${to}::int) n where request.id = ${like}
  `.execute(database.db)
  await sql`
    insert into audit_event (id, at, type, actor_type, document, request_id, sequence)
    select gen_random_uuid(), clock_timestamp() - n * interval '1 minute' + place * interval '1 second',
      'call.judged', 'policy', (select document from audit_event limit 1), md5('request' || n)::uuid, place
    from generate_series(${from}::int, ${to}::int) n, generate_series(1, 5) place
  `.execute(database.db)
  await sql`vacuum analyze`.execute(database.db)
}

/** The blocks that a page of hers touches; it shows something. */
async function blocksOf(name: string): Promise<number> {
  const queries: LoggedQuery[] = []
  await using db = withQueryLog(database.url, queries)
  expect(await pages[name]?.({ ...service.ctx, db })).not.toEqual([])
  return (await costOf(database.url, queries)).blocks
}

test.each(Object.keys(pages))(
  'a page for a person who sees only their own runs costs the same whatever others do: %s',
  async (name) => {
    const blocks = await blocksOf(name)
    expect(blocks).toBeLessThanOrEqual(maxGrowth * (costsOfFew.get(name) ?? 0))
  },
)
