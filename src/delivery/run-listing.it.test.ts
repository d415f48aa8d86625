import { Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { describe, expect, it, onTestFinished } from 'vitest'
import { useOwnNamespace } from '#test/harness/temporal.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { ScriptedStore, workflowBundle } from '#test/workflows/scripted-run.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import { searchAttributes } from '#domain/runs/search-attributes.ts'
import { turnQueueOf } from '#workflows/activity-port.ts'
import { decided } from '#workflows/messages.ts'
import { startRunWorkflow } from './outbox/deliver-rows.ts'
import { reconcileRuns } from './reconciling/reconcile-runs.ts'
import {
  addOldRun,
  ada,
  address,
  delivering,
  service,
  temporal,
  useWorkflowDesk,
} from './reconciling/workflow-desk.fixture.ts'
import { WokenWorkflows } from './reconciling/workflows.ts'
import { RunListing } from './run-listing.ts'
import { connectTemporal, type TemporalClient } from './temporal-client.ts'

useWorkflowDesk()

const names = ['Worker', 'State', 'Queue', 'Starter', 'Number'].map((one) => `Countersign${one}`)

function open(client: TemporalClient = temporal): RunListing {
  const { db, ctx } = service
  const publicUrl = 'https://approvals.example.com'
  const listing = new RunListing({ db, temporal: client, publicUrl, log: ctx.log })
  onTestFinished(() => listing[Symbol.asyncDispose]())
  return listing
}

/** The Temporal workers of a run whose only turn asks in the queue platform. */
async function serve(store: ScriptedStore): Promise<void> {
  const connection = await NativeConnection.connect({ address: address.address })
  const { activities } = store
  const { takeTurn } = activities
  const shared = { connection, namespace: address.namespace }
  const { taskQueue } = store
  const workflowCode = await workflowBundle()
  const workers = [
    await Worker.create({
      ...shared,
      taskQueue,
      workflowBundle: workflowCode,
      activities,
      sinks: store.sinks,
    }),
    await Worker.create({ ...shared, taskQueue: turnQueueOf(taskQueue), activities: { takeTurn } }),
  ]
  const running = workers.map((worker) => worker.run())
  onTestFinished(async () => {
    for (const worker of workers) worker.shutdown()
    await Promise.allSettled(running)
    await connection.close()
  })
}

function asking(taskQueue: string): ScriptedStore {
  // The first turn of a run is 1.
  const store = new ScriptedStore([[], [{ requestId: 'a', queue: 'platform' }], [{}]])
  store.taskQueue = taskQueue
  return store
}

async function startListed(taskQueue: string, listing: RunListing, turn = 0) {
  const run = await addOldRun()
  const workflow = { id: run.id, workflow_id: `run-${run.id}` }
  await setRows(service.db, 'run', { id: run.id }, { task_queue: taskQueue, turn })
  expect(await startRunWorkflow({ ...delivering(taskQueue), listing }, workflow)).toBe('started')
  return { run, handle: temporal.client.workflow.getHandle(workflow.workflow_id) }
}

async function untilFound(query: string, ids: readonly string[]): Promise<void> {
  const found = async (): Promise<boolean> => {
    const list: string[] = []
    for await (const one of temporal.client.workflow.list({ query })) list.push(one.workflowId)
    return String(list) === String(ids)
  }
  await waitUntil(found)
}

async function removeAttributes(): Promise<void> {
  const connection = await Connection.connect({ address: address.address })
  const { namespace } = address
  await connection.operatorService.removeSearchAttributes({ namespace, searchAttributes: names })
  await connection.close()
}

describe('runs in the list of workflows of Temporal', () => {
  it('are started without search attributes where the service may not add them, and end as usual', async () => {
    const addSearchAttributes = (): Promise<never> =>
      Promise.reject(new Error('7 PERMISSION_DENIED: Request unauthorized.'))
    // Only this call is refused: the client keeps the connection, which its other calls use.
    const listing = open({ ...temporal, addSearchAttributes, client: temporal.client })
    const store = asking('refused')
    await serve(store)
    const { run, handle } = await startListed('refused', listing)
    await waitUntil(() => store.activityCounts.has('takeTurn'))
    store.decided.add('a')
    await handle.signal(decided, ['a'])
    await handle.result()
    expect(await listing.hasAttributes()).toBe(false)
    const described = await handle.describe()
    expect(described.memo).toMatchObject({ runId: run.id, starter: ada.id })
    expect(await described.staticSummary()).toMatch(/^#\d+ \S+$/)
    const { events } = await handle.fetchHistory()
    // No attribute is written after the start, not even Temporal's own for a patch.
    const written = (events ?? []).flatMap((event) =>
      Object.keys(
        event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields ?? {},
      ),
    )
    expect(written).toEqual([])
    // It begins with its first turn: only a run with earlier turns reads its state from the store.
    expect(store.activityCounts.has('beginRun')).toBe(false)
    const begun = await startListed('refused', listing, 1)
    await begun.handle.result()
    expect(store.activityCounts.get('beginRun')).toBe(1)
  })

  it('are found by starter, number, state and queue once the service has added the attributes, which have ids only', async () => {
    const listing = open()
    expect(await listing.hasAttributes()).toBe(true)
    const store = asking('listed')
    await serve(store)
    // The server learns of new attributes a moment later; until then runs go without.
    let first = await startListed('listed', listing)
    const isListed = async (): Promise<boolean> => {
      const { typedSearchAttributes } = await first.handle.describe()
      if (typedSearchAttributes.getAll().length > 0) return true
      await first.handle.terminate()
      first = await startListed('listed', listing)
      return false
    }
    await waitUntil(isListed, { everyMs: 500 })
    const id = `run-${first.run.id}`
    const waits = `CountersignState = 'waiting_for_approval' AND CountersignQueue = 'platform'`
    await untilFound(`${waits} AND CountersignStarter = '${ada.id}'`, [id])
    store.decided.add('a')
    await first.handle.signal(decided, ['a'])
    await first.handle.result()
    await untilFound("CountersignState = 'ended' AND CountersignNumber > 0", [id])
    await untilFound(waits, [])
  })

  it('continue when somebody removes the attributes while they wait: they are started again without them', async () => {
    const listing = open()
    const store = asking('removed')
    await serve(store)
    const { handle } = await startListed('removed', listing)
    const waits = async (): Promise<boolean> =>
      (await handle.describe()).typedSearchAttributes.get(searchAttributes.queue) !== undefined
    await waitUntil(waits)
    await listing[Symbol.asyncDispose]()
    await removeAttributes()
    // The new workflow plans the same wait, and looks at its deadline.
    store.deadlineMs = 500
    store.decided.add('a')
    await handle.signal(decided, ['a'])
    const woken = new WokenWorkflows()
    const options = { log: service.ctx.log, woken, stillSeconds: 0 }
    await waitUntil(
      async () => {
        // The run does not end in the database, so another round would start the workflow again.
        if ((await handle.describe()).status.name === 'COMPLETED') return true
        await reconcileRuns(service.ctx, delivering('removed'), options)
        return false
      },
      { withinMs: 120_000, everyMs: 1000 },
    )
    // A workflow that is started again executes its calls again in the store of the test.
    expect([...new Set(store.journal)]).toEqual(['1.0', '2.0'])
  })
})

it('an attribute of another type in the namespace is not changed, and runs are started without it', async () => {
  const own = await useOwnNamespace()
  await using client = connectTemporal({ ...own, deadlineMs: 10_000 })
  await client.addSearchAttributes(new Map([['CountersignNumber', 'KEYWORD']]))
  await using listing = open(client)
  expect(await listing.hasAttributes()).toBe(false)
  expect((await client.searchAttributes()).get('CountersignNumber')).toBe('KEYWORD')
})
