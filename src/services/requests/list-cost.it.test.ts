import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/harness/postgres.ts'
import { withQueryLog, type LoggedQuery } from '../../../test/harness/fixtures/count-queries.ts'
import { addRequest, addRun } from '../../../test/harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '../../../test/harness/fixtures/people.ts'
import { createTestService, type TestService } from '../../../test/harness/fixtures/test-service.ts'
import { readAudit } from '../audit/read-audit.ts'
import { listRequests, type ListRequestsInput } from './list-requests.ts'

let database: TestDatabase
let service: TestService
let grace: TestPerson
let auditor: TestPerson

beforeAll(async () => {
  database = await createTestDatabase()
  service = await createTestService(database.db)
  grace = await addPerson(database.db, 'Grace', ['platform'])
  auditor = await addPerson(database.db, 'Aud', ['auditors'], 'aud@example.com')
  const ada = await addPerson(database.db, 'Ada', [])
  const first = await addRequest(service, await addRun(service, { startedBy: ada }))
  // Many more of the same: 330 runs with 30,000 requests that have ended and 3,000 that wait, and as many events.
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
    select gen_random_uuid(), clock_timestamp() - n * interval '1 second', 'call.judged', 'policy', null, '{}'
    from generate_series(1, 33000) n
  `.execute(database.db)
  await sql`analyze`.execute(database.db)
})
afterAll(() => database[Symbol.asyncDispose]())

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly Plans?: readonly Plan[]
}

/** Explains the query of those that were logged which pages through `table`. */
async function planOf(queries: readonly LoggedQuery[], table: string): Promise<Plan[]> {
  const query = queries.find(
    (one) => one.sql.includes(`from ${table}`) && /limit \$\d+\s*$/.test(one.sql),
  )
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, format json) ${query?.sql ?? ''}`,
      [...(query?.parameters ?? [])],
    )
    return flatten(rows[0]!['QUERY PLAN'][0].Plan)
  } finally {
    await client.end()
  }
}

function flatten(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flatten)]
}

/** Rows that were fetched from the paged table: a page's worth when an index serves the order. */
function expectPaged(plan: readonly Plan[], table: string): void {
  const scans = plan.filter((node) => node['Relation Name'] === table && node['Actual Loops'] > 0)
  expect(scans.length).toBeGreaterThan(0)
  for (const scan of scans) {
    expect(scan['Node Type']).toMatch(/Index/)
    expect(scan['Actual Rows'] * scan['Actual Loops']).toBeLessThan(200)
  }
  expect(plan.map((node) => node['Node Type'])).not.toContain('Sort')
}

const pages: ListRequestsInput[] = [
  { state: 'pending', queue: 'platform' },
  { state: 'pending', queue: 'platform', sort: 'expiresAt' },
  { state: 'pending' },
  { state: 'pending', sort: 'expiresAt' },
  { state: 'pending', sort: 'risk' },
  { state: 'pending', sort: 'age' },
  { mine: true, sort: 'expiresAt' },
  {},
]

describe('a page costs what a page costs, whatever the table holds:', () => {
  test.each(pages)('requests, %j', async (input) => {
    const queries: LoggedQuery[] = []
    const db = withQueryLog(database.url, queries)
    try {
      const ctx = { ...service.ctx, db }
      const page = await listRequests(ctx, grace.caller, input)
      expect(page.items).toHaveLength(50)
      expectPaged(await planOf(queries, 'request'), 'request')
      queries.length = 0
      await listRequests(ctx, grace.caller, { ...input, cursor: page.nextCursor ?? '' })
      expectPaged(await planOf(queries, 'request'), 'request')
    } finally {
      await db.destroy()
    }
  })

  test('the trail', async () => {
    const queries: LoggedQuery[] = []
    const db = withQueryLog(database.url, queries)
    try {
      const input = { keyReadsAudit: false }
      const page = await readAudit({ ...service.ctx, db }, auditor.caller, input)
      expect(page.documents).toHaveLength(50)
      expectPaged(await planOf(queries, 'audit_event'), 'audit_event')
    } finally {
      await db.destroy()
    }
  })
})
