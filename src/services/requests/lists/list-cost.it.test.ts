import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { addRequest, addRun } from '#test/harness/fixtures/gated-run.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { costOf, type ReadingCost } from '#test/harness/fixtures/reading-cost.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import type { Db } from '#store/database.ts'
import { readAudit } from '../../audit/read-audit.ts'
import type { ServiceContext } from '../../core/context.ts'
import { searchService } from '../../search/search-service.ts'
import { listRuns } from '../../runs/reading/list-runs.ts'
import { listRequests, type ListRequestsInput } from './list-requests.ts'

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
const grace = await addPerson(database.db, 'Grace', ['platform'])
const auditor = await addPerson(database.db, 'Aud', ['auditors'], 'aud@example.com')
const stranger = await addPerson(database.db, 'Sam', [])
const ada = await addPerson(database.db, 'Ada', [])
const first = await addRequest(service, await addRun(service, { startedBy: ada }))
// Copies of them: 330 runs with 30,000 requests that have ended and 3,000 that wait, and
// as many events.
await sql`
    with many as (
      insert into run (id, root_run_id, worker, worker_digest, policy_digest, mode, title, input_digest, started_by,
        workflow_id, task_queue, epoch, signature, key_id)
      select md5(n::text)::uuid, md5(n::text)::uuid, worker, worker_digest, policy_digest, mode, title, input_digest,
        started_by, 'many-' || n, task_queue, epoch, signature, key_id
      from run, generate_series(1, 330) n returning id)
    insert into run_lineage (run_id, ancestor_id, depth) select id, id, 0 from many
  `.execute(database.db)
await sql`
    insert into request (id, kind, state, queue, team, risk, tool, title, digest, policy_digest, rule, routing,
      run_id, root_run_id, turn, position, created_at, expires_at, epoch)
    select gen_random_uuid(), kind, case when n % 11 = 0 then 'pending' else 'approved' end, queue, team, risk, tool,
      title, digest, policy_digest, rule, routing, md5((n / 100 + 1)::text)::uuid, md5((n / 100 + 1)::text)::uuid, turn, position,
      created_at - n * interval '1 second', expires_at + n * interval '1 second', epoch
    from request, generate_series(1, 32999) n where request.id = ${first.id}
  `.execute(database.db)
await sql`
    insert into audit_event (id, at, type, actor_type, actor_id, document)
    select gen_random_uuid(), clock_timestamp() - n * interval '1 second', 'call.judged', 'policy', null,
      (select document from audit_event limit 1)
    from generate_series(1, 33000) n
  `.execute(database.db)
await sql`analyze`.execute(database.db)

/** What a reading costs by the plans of its queries, and how much it read. */
async function costOfReading(read: (db: Db) => Promise<number>): Promise<ReadingCost> {
  const queries: LoggedQuery[] = []
  await using db = withQueryLog(database.url, queries)
  expect(await read(db)).toBe(50)
  return await costOf(database.url, queries, manyOf)
}

/** The tables that hold many rows here. */
const manyOf = new Set(['request', 'audit_event'])
/**
 * The most of their rows that a page may read: its items, the rows that are merged into it, and ten
 * similar requests for each of its fifty items.
 */
const rowsOfPage = 800
/** A search also reads files of the newest 200 requests, or the newest 1,000 for short words. */
const rowsOfSearch = 5_000

const pages: ListRequestsInput[] = [
  { state: 'pending', queue: 'platform' },
  { state: 'pending', queue: 'platform', sort: 'expiresAt' },
  { state: 'pending' },
  { state: 'pending', sort: 'expiresAt' },
  { state: 'pending', sort: 'risk' },
  { state: 'pending', sort: 'age' },
  { state: 'pending', sort: 'createdAt' },
  { state: 'pending', queue: 'platform', sort: 'createdAt' },
  { state: 'approved' },
  { mine: true },
  { mine: true, queue: 'platform' },
  { mine: true, sort: 'expiresAt' },
  { sort: 'createdAt' },
  {},
]

describe('the cost of a page does not depend on the size of the table:', () => {
  test.each(pages)('requests, %j', async (input) => {
    let cursor: string | null = null
    const read = async (db: Db): Promise<number> => {
      const after = cursor === null ? {} : { cursor }
      const page = await listRequests({ ...service.ctx, db }, grace.caller, { ...input, ...after })
      cursor = page.nextCursor
      return page.items.length
    }
    for (const cost of [await costOfReading(read), await costOfReading(read)]) {
      expect(cost.unindexed).toEqual([])
      expect(cost.rows, JSON.stringify(cost)).toBeLessThan(rowsOfPage)
    }
  })

  test.each(['write', 'wri te', 'no'])(
    'a search for %j, which every request contains',
    async (q) => {
      const search = async (db: Db): Promise<number> =>
        (await searchService({ ...service.ctx, db }, grace.caller, { q, types: ['request'] }))
          .length
      const cost = await costOfReading(search)
      expect(cost.unindexed).toEqual([])
      expect(cost.rows, JSON.stringify(cost)).toBeLessThan(rowsOfSearch)
    },
  )

  test('the trail', async () => {
    const cost = await costOfReading(async (db) => {
      const input = { keyReadsAudit: false }
      return (await readAudit({ ...service.ctx, db }, auditor.caller, input)).documents.length
    })
    expect(cost).toMatchObject({ unindexed: [] })
    expect(cost.rows, JSON.stringify(cost)).toBeLessThan(rowsOfPage)
  })
})

describe('an empty result costs little, whatever the table holds:', () => {
  const nothing: Readonly<Record<string, (ctx: ServiceContext) => Promise<readonly unknown[]>>> = {
    requests: async (ctx) => (await listRequests(ctx, stranger.caller, {})).items,
    'requests that wait': async (ctx) =>
      (await listRequests(ctx, stranger.caller, { state: 'pending', sort: 'risk' })).items,
    runs: async (ctx) => (await listRuns(ctx, stranger.caller, {})).items,
    trail: async (ctx) =>
      (await readAudit(ctx, stranger.caller, { keyReadsAudit: false })).documents,
    'a search of everything without a hit': async (ctx) =>
      await searchService(ctx, grace.caller, { q: 'nowhere' }),
    'a search of who may see nothing': async (ctx) =>
      await searchService(ctx, stranger.caller, { q: 'write', types: ['request', 'file', 'run'] }),
    'a search without a hit': async (ctx) =>
      (await listRequests(ctx, grace.caller, { q: 'nowhere' })).items,
    'a state that none has': async (ctx) =>
      (await listRequests(ctx, grace.caller, { state: 'denied' })).items,
  }
  test.each(Object.entries(nothing))('%s', async (_name, read) => {
    const queries: LoggedQuery[] = []
    await using db = withQueryLog(database.url, queries)
    expect(await read({ ...service.ctx, db })).toEqual([])
    const cost = await costOf(database.url, queries, manyOf)
    expect(cost.unindexed).toEqual([])
    expect(cost.rows, JSON.stringify(cost)).toBeLessThan(10)
  })
})
