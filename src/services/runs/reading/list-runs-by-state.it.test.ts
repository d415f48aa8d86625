import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { withQueryLog, type LoggedQuery } from '#test/harness/fixtures/count-queries.ts'
import { addRun } from '#test/harness/fixtures/gated-run.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { costOf } from '#test/harness/fixtures/reading-cost.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { listRuns } from './list-runs.ts'

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
const ada = await addPerson(database.db, 'Ada', [])
const { id: first } = await addRun(service, { startedBy: ada })
const states = ['failed', 'cancelled', 'running', 'waiting_for_approval', 'waiting_for_input']
// 3,000 runs, of which each of these states has three, and the others are completed.
await sql`
  with many as (
    insert into run (id, root_run_id, worker, worker_digest, policy_digest, mode, title, input_digest, started_by,
      workflow_id, task_queue, epoch, signature, key_id, state, created_at, ended_at)
    select md5(n::text)::uuid, md5(n::text)::uuid, worker, worker_digest, policy_digest, mode, title, input_digest,
      started_by, 'many-' || n, task_queue, epoch, signature, key_id,
      case when n % 1000 between 1 and 5 then (${states}::text[])[n % 1000] else 'completed' end,
      created_at - n * interval '1 second',
      case when n % 1000 between 3 and 5 then null else created_at end
    from run, generate_series(1, 3000) n where run.id = ${first} returning id)
  insert into run_lineage (run_id, ancestor_id, depth) select id, id, 0 from many
`.execute(database.db)
await sql`analyze`.execute(database.db)

test.each([
  ['failed', 3],
  ['cancelled', 3],
  // The first run is the fourth of them.
  ['running', 4],
  ['waiting_for_approval', 3],
  ['waiting_for_input', 3],
] as const)('a page of the runs in state %s reads few others', async (state, count) => {
  const queries: LoggedQuery[] = []
  await using db = withQueryLog(database.url, queries)
  const page = await listRuns({ ...service.ctx, db }, ada.caller, { state })
  expect(page.items.map((run) => run.state)).toEqual(Array.from({ length: count }, () => state))
  const cost = await costOf(database.url, queries, new Set(['run']))
  expect(cost.unindexed).toEqual([])
  expect(cost.rows, JSON.stringify(cost)).toBeLessThan(60)
})
