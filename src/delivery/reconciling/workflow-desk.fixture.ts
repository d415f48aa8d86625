import { afterAll, beforeAll } from 'vitest'
import { addRun, type TestRun } from '#test/harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { createTestService, type TestService } from '#test/harness/fixtures/test-service.ts'
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import { useOwnNamespace, type TestTemporal } from '#test/harness/temporal.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import { NamespaceGuard } from '../namespace-guard.ts'
import type { DeliveryContext } from '../outbox/deliver-rows.ts'
import { connectTemporal, type TemporalClient } from '../temporal-client.ts'

export let database: TestDatabase
export let service: TestService
export let address: TestTemporal
export let temporal: TemporalClient
/** starts the runs */
export let ada: TestPerson

/** Opens a service and a Temporal namespace for one test file that compares runs with workflows. */
export function useWorkflowDesk(): void {
  beforeAll(async () => {
    database = await createTestDatabase()
    service = await createTestService(database.db)
    address = await useOwnNamespace()
    temporal = connectTemporal(address)
    ada = await addPerson(service.db, 'Ada', [])
  })
  afterAll(async () => {
    await temporal?.[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })
}

/** Returns what starts this service's workflows on `taskQueue`; every run is admitted. */
export function delivering(taskQueue = address.taskQueue): DeliveryContext {
  const guard = new NamespaceGuard({ db: service.db, temporal })
  return { db: service.db, temporal, guard, taskQueue, admit: async () => true }
}

/** Adds an old run, so that the reconciler does not skip it as too young. */
export async function addOldRun(): Promise<TestRun> {
  const run = await addRun(service, { startedBy: ada })
  await setRows(service.db, 'run', { id: run.id }, { created_at: new Date(Date.now() - 3_600_000) })
  return run
}

/** Ends a run in the database alone. */
export async function endRun(run: TestRun): Promise<void> {
  await setRows(
    service.db,
    'run',
    { id: run.id },
    { state: 'completed', ended_at: new Date(Date.now() - 60_000) },
  )
}
