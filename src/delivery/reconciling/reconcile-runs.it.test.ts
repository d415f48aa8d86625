import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addRequest, addRun, type TestRun } from '../../../test/harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '../../../test/harness/fixtures/people.ts'
import { createTestService, type TestService } from '../../../test/harness/fixtures/test-service.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/harness/postgres.ts'
import { useOwnNamespace, type TestTemporal } from '../../../test/harness/temporal.ts'
import { waitUntil } from '../../../test/harness/wait-until.ts'
import { ScriptedStore, workflowBundle } from '../../../test/workflows/scripted-run.ts'
import { turnQueueOf } from '../../workflows/task-queues.ts'
import { startRun, type Delivering } from '../outbox/deliver-rows.ts'
import { NamespaceGuard } from '../namespace-guard.ts'
import { reconcileRuns, type Reconciled } from './reconcile-runs.ts'
import { connectTemporal, type TemporalClient } from '../temporal-client.ts'
import { Woken } from '../outbox/woken.ts'

let database: TestDatabase
let service: TestService
let address: TestTemporal
let temporal: TemporalClient
let ada: TestPerson
let woken: Woken

beforeAll(async () => {
  database = await createTestDatabase()
  service = await createTestService(database.db)
  address = await useOwnNamespace()
  temporal = connectTemporal(address)
  ada = await addPerson(service.db, 'Ada', [])
})
afterAll(async () => {
  await temporal?.close()
  await database[Symbol.asyncDispose]()
})
beforeEach(() => {
  woken = new Woken()
})

function delivering(taskQueue = address.taskQueue): Delivering {
  const guard = new NamespaceGuard({ db: service.db, temporal })
  return { db: service.db, temporal, guard, taskQueue, admit: async () => true }
}

function reconcile(): Promise<Reconciled> {
  const { ctx } = service
  return reconcileRuns(ctx, delivering(), { log: ctx.log, woken, stillSeconds: 0 })
}

/** A run from long ago, so that nobody takes it for one whose start is on its way. */
async function addOldRun(): Promise<TestRun> {
  const run = await addRun(service, { startedBy: ada })
  const createdAt = new Date(Date.now() - 3_600_000)
  await service.db
    .updateTable('run')
    .set({ created_at: createdAt })
    .where('id', '=', run.id)
    .execute()
  return run
}

async function end(run: TestRun): Promise<void> {
  await service.db
    .updateTable('run')
    .set({ state: 'completed', ended_at: new Date(Date.now() - 60_000) })
    .where('id', '=', run.id)
    .execute()
}

function startWorkflow(run: TestRun, taskQueue = address.taskQueue) {
  return startRun(delivering(taskQueue), { id: run.id, workflow_id: `run-${run.id}` })
}

async function signalsOf(run: TestRun): Promise<string[]> {
  const history = await temporal.client.workflow.getHandle(`run-${run.id}`).fetchHistory()
  return (history.events ?? []).flatMap((event) => {
    const name = event.workflowExecutionSignaledEventAttributes?.signalName
    return name ? [name] : []
  })
}

async function untilListed(run: TestRun): Promise<void> {
  const query = `WorkflowId = 'run-${run.id}' AND ExecutionStatus = 'Running'`
  await waitUntil(async () => (await temporal.client.workflow.count(query)).count > 0, {
    withinMs: 90_000,
  })
}

async function failureOf(run: TestRun): Promise<string | undefined> {
  const row = await service.db
    .selectFrom('run')
    .select('failure')
    .where('id', '=', run.id)
    .executeTakeFirstOrThrow()
  return row.failure?.code
}

/** Serves one run's workflow with the code that ships; the activities answer from `store`. */
async function serve(store: ScriptedStore): Promise<AsyncDisposable> {
  const connection = await NativeConnection.connect({ address: address.address })
  const { namespace } = address
  const { takeTurn, ...activities } = store.activities
  const options = { connection, namespace }
  const workers = await Promise.all([
    Worker.create({
      ...options,
      taskQueue: store.taskQueue,
      workflowBundle: await workflowBundle(),
      activities,
    }),
    Worker.create({
      ...options,
      taskQueue: turnQueueOf(store.taskQueue),
      activities: { takeTurn },
    }),
  ])
  const running = Promise.all(workers.map((worker) => worker.run()))
  return {
    async [Symbol.asyncDispose]() {
      for (const worker of workers) worker.shutdown()
      await running
      await connection.close()
    },
  }
}

describe('reconcileRuns', () => {
  it('starts a missing workflow again, once, and leaves a run alone that has just started', async () => {
    const [missing, young] = [await addOldRun(), await addRun(service, { startedBy: ada })]
    expect((await reconcile()).startedAgain).toEqual([missing.id])
    await untilListed(missing)
    expect((await reconcile()).startedAgain).toEqual([])
    await expect(signalsOf(young)).rejects.toThrow('not found')
    await end(missing)
    await end(young)
  })

  it('wakes the workflow of a run that has ended, once, and none that nobody here knows', async () => {
    const run = await addOldRun()
    await startWorkflow(run)
    const stranger = { id: 'stranger', rootRunId: 'stranger' }
    await startWorkflow(stranger)
    await untilListed(run)
    await untilListed(stranger)
    await end(run)
    expect((await reconcile()).woken).toContain(run.id)
    expect((await reconcile()).woken).not.toContain(run.id)
    expect(await signalsOf(run)).toEqual(['cancelRequested'])
    expect(await signalsOf(stranger)).toEqual([])
  })

  it('wakes a workflow that waits for what was decided long ago, and it goes on from the store', async () => {
    const run = await addOldRun()
    const store = new ScriptedStore([[{ requestId: 'decided while it was away' }]])
    store.taskQueue = `${address.taskQueue}-behind`
    await using _served = await serve(store)
    await startWorkflow(run, store.taskQueue)
    await waitUntil(() => store.asked.get('takeTurn') === 1, { withinMs: 90_000 })
    store.decided.add('decided while it was away')
    await untilListed(run)
    await waitUntil(async () => (await reconcile()).woken.includes(run.id), { withinMs: 90_000 })
    await temporal.client.workflow.getHandle(`run-${run.id}`).result()
    expect(store.journal).toEqual(['0.0'])
    await end(run)
  })

  it('leaves a workflow in peace whose run waits for people', async () => {
    const run = await addOldRun()
    await addRequest(service, run)
    const store = new ScriptedStore([[{ requestId: 'a' }]])
    store.taskQueue = `${address.taskQueue}-waiting`
    await using _served = await serve(store)
    await startWorkflow(run, store.taskQueue)
    await waitUntil(() => store.asked.get('takeTurn') === 1, { withinMs: 90_000 })
    await untilListed(run)
    expect((await reconcile()).woken).not.toContain(run.id)
    expect(await signalsOf(run)).toEqual([])
    await end(run)
  })

  it('shows a run as stalled while its workflow code fails, and no longer when it goes on', async () => {
    const run = await addOldRun()
    const store = new ScriptedStore([[{ requestId: 'a' }]])
    store.taskQueue = `${address.taskQueue}-stalled`
    const connection = await NativeConnection.connect({ address: address.address })
    const broken = await Worker.create({
      connection,
      namespace: address.namespace,
      taskQueue: store.taskQueue,
      workflowBundle: await bundleWorkflowCode({
        workflowsPath: fileURLToPath(
          new URL('../../../test/workflows/failing-workflow.ts', import.meta.url),
        ),
      }),
    })
    const breaking = broken.run()
    await startWorkflow(run, store.taskQueue)
    await untilListed(run)
    await waitUntil(async () => (await reconcile()).stalled.includes(run.id), { withinMs: 90_000 })
    expect(await failureOf(run)).toBe('stalled')
    broken.shutdown()
    await breaking
    await connection.close()
    await using _served = await serve(store)
    await waitUntil(
      async () => {
        await reconcile()
        return (await failureOf(run)) === undefined
      },
      { withinMs: 90_000 },
    )
    await end(run)
  }, 240_000)
})
