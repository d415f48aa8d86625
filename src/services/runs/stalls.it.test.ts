import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import { markStalls, recordRestart, restartsOf } from './stalls.ts'

const desk = disposeAfterTests(await openAgentDesk())

// Rules: security.md 31
test('new workflows of a run are counted for a day, so that a run of many weeks gets them after every deployment', async () => {
  const { db } = desk.database
  const runId = await desk.start()
  const why = { kind: 'does_not_fit', message: null } as const
  await markStalls(desk.api, [{ runId, attempts: 3, why, restarts: 0 }], [])
  for (const restarts of [0, 1]) {
    await recordRestart(desk.api, { runId, attempts: 3, why, restarts })
  }
  expect(await restartsOf(db, runId)).toBe(2)
  const [run] = await rowsOf(db, 'run', { id: runId }, 'failure')
  expect(JSON.stringify(run)).toContain('was started again 2 times within a day;')
  await sql`
    insert into audit_event (id, at, type, actor_type, run_id, document)
    select gen_random_uuid(), clock_timestamp() - interval '25 hours', type, actor_type, run_id, document from audit_event
    where run_id = ${runId} and type = 'system.reconciled' limit 1
  `.execute(db)
  expect(await restartsOf(db, runId)).toBe(2)
})
