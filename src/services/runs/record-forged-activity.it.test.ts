import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { addRun } from '#test/harness/fixtures/gated-run.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { silentLog } from '#test/harness/silent-log.ts'
import { workflowIdOf } from './starting/insert-run.ts'
import { recordForgedActivity } from './record-forged-activity.ts'

const database = disposeAfterTests(await createTestDatabase())

// Rules: security.md 33
test('an activity for a gateway call that is not there, or under no id, is in the log', async () => {
  const { ctx } = await createTestService(database.db)
  const entries: unknown[] = []
  const log = { ...silentLog, warn: (fields: unknown) => void entries.push(fields) }
  for (const requestId of [randomUUID(), 'not an id']) {
    const arrived = { activity: 'settleGatewayCall', subject: { requestId }, workflowId: 'forge' }
    await recordForgedActivity({ ...ctx, log }, arrived)
  }
  const entry = { activity: 'settleGatewayCall', workflowId: 'forge' }
  expect(entries).toEqual([entry, entry])
})

// Rules: security.md 14, 33
test('a workflow whose id has the id of a run in capitals is not that of the run: the trail records its activity', async () => {
  const service = await createTestService(database.db)
  const startedBy = await addPerson(database.db, 'Olga', ['platform'])
  const { id: runId } = await addRun(service, { startedBy })
  const spelling = runId.toUpperCase()
  const [own, forged] = [runId, spelling].map((id) => ({
    activity: 'closeRun',
    subject: { runId: id },
    workflowId: workflowIdOf(id),
  }))
  for (const arrived of [own, forged]) if (arrived) await recordForgedActivity(service.ctx, arrived)
  const refusals = await rowsOf(database.db, 'audit_event', { type: 'attempt.refused' })
  expect(refusals.map((event) => event.run_id)).toEqual([runId])
})
