import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { addRequest, addRun } from '#test/harness/fixtures/gated-run.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { recordRefusal } from '#services/refusals/record-refusal.ts'
import { hasOpenWork } from './reconciler.ts'

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)

test('a run that has not ended, a pending request of a program and an uncounted refusal are open work; ended ones are not', async () => {
  const { ctx, db } = service
  const ada = await addPerson(db, 'Ada', [])
  expect(await hasOpenWork(db)).toBe(false)
  const run = await addRun(service, { startedBy: ada })
  const request = await addRequest(service, run)
  expect(await hasOpenWork(db)).toBe(true)
  await sql`update run set state = 'completed', ended_at = now() where id = ${run.id}`.execute(db)
  expect(await hasOpenWork(db)).toBe(false)
  await sql`update request set kind = 'external', run_id = null where id = ${request.id}`.execute(
    db,
  )
  expect(await hasOpenWork(db)).toBe(true)
  await sql`update request set state = 'denied', decided_at = now() where id = ${request.id}`.execute(
    db,
  )
  expect(await hasOpenWork(db)).toBe(false)
  await recordRefusal(ctx, {
    type: 'attempt.refused',
    actor: { type: 'person', id: ada.id, name: 'Ada' },
    channel: 'api',
    detail: { attempt: 'try', code: 'forbidden' },
  })
  expect(await hasOpenWork(db)).toBe(true)
})
