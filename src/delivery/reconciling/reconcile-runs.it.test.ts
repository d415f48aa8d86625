import { fileURLToPath } from 'node:url'
import type { WorkflowExecutionInfo } from '@temporalio/client'
import {
  bundleWorkflowCode,
  NativeConnection,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { auditDocuments } from '#test/harness/fixtures/events-about.ts'
import { addRequest, addRun, type TestRun } from '#test/harness/fixtures/gated-run.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { payloadOf, rawSignal } from '#test/workflows/hostile-client.ts'
import { ScriptedStore, workflowBundle } from '#test/workflows/scripted-run.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { turnQueueOf } from '#workflows/activity-port.ts'
import { startRunWorkflow } from '../outbox/deliver-rows.ts'
import { reconcileRuns, type ReconciledRuns } from './reconcile-runs.ts'
import { WokenWorkflows } from './workflows.ts'
import {
  addOldRun,
  ada,
  address,
  delivering,
  endRun,
  service,
  temporal,
  useWorkflowDesk,
} from './workflow-desk.fixture.ts'

useWorkflowDesk()
let woken: WokenWorkflows
beforeEach(() => {
  woken = new WokenWorkflows()
})

function reconcile(): Promise<ReconciledRuns> {
  const { ctx } = service
  return reconcileRuns(ctx, delivering(), { log: ctx.log, woken, stillSeconds: 0 })
}

function reconcileOn(taskQueue: string): Promise<ReconciledRuns> {
  const { ctx } = service
  return reconcileRuns(ctx, delivering(taskQueue), { log: ctx.log, woken, stillSeconds: 0 })
}

function startWorkflow(run: TestRun, taskQueue = address.taskQueue) {
  return startRunWorkflow(delivering(taskQueue), { id: run.id, workflow_id: `run-${run.id}` })
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
  await waitUntil(async () => (await temporal.client.workflow.count(query)).count > 0)
}

async function failureOf(run: TestRun): Promise<string | undefined> {
  const row = await rowOf(service.db, 'run', { id: run.id })
  return row.failure?.code
}

/** Serves one run's workflow with the code that ships; the activities answer from `store`. */
async function serve(
  store: ScriptedStore,
  code: WorkflowBundleWithSourceMap | null = null,
): Promise<AsyncDisposable> {
  const connection = await NativeConnection.connect({ address: address.address })
  const { namespace } = address
  const { activities } = store
  const { takeTurn } = activities
  const options = { connection, namespace }
  const workers = await Promise.all([
    Worker.create({
      ...options,
      taskQueue: store.taskQueue,
      workflowBundle: code ?? (await workflowBundle()),
      activities,
      sinks: store.sinks,
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
  it('starts a missing workflow again, once, and leaves a run alone that was started just before', async () => {
    const [missing, young] = [await addOldRun(), await addRun(service, { startedBy: ada })]
    expect((await reconcile()).startedAgain).toEqual([missing.id])
    await untilListed(missing)
    expect((await reconcile()).startedAgain).toEqual([])
    await expect(signalsOf(young)).rejects.toThrow('not found')
    await endRun(missing)
    await endRun(young)
  })

  it('starts a run’s workflow again that has ended, although Temporal’s list still has it', async () => {
    const run = await addOldRun()
    const workflowId = `run-${run.id}`
    const workflows = temporal.client.workflow
    const options = { workflowId, taskQueue: address.taskQueue, args: [] }
    const first = await workflows.start('agentRun', { ...options, workflowExecutionTimeout: 2000 })
    await untilListed(run)
    const before: WorkflowExecutionInfo[] = []
    for await (const listed of workflows.list()) before.push(listed)
    await expect(first.result()).rejects.toThrow('timed out')
    const lagging = workflows.list()
    lagging[Symbol.asyncIterator] = async function* () {
      yield* before
    }
    const list = vi.spyOn(workflows, 'list').mockReturnValue(lagging)
    onTestFinished(() => list.mockRestore())
    expect((await reconcile()).startedAgain).toEqual([run.id])
    expect((await reconcile()).startedAgain).toEqual([])
    await endRun(run)
  })

  it('wakes the workflow of an ended run, once, and no workflow of another installation', async () => {
    const run = await addOldRun()
    await startWorkflow(run)
    const stranger = { id: 'stranger', rootRunId: 'stranger' }
    await startWorkflow(stranger)
    await untilListed(run)
    await untilListed(stranger)
    await endRun(run)
    expect((await reconcile()).woken).toContain(run.id)
    expect((await reconcile()).woken).not.toContain(run.id)
    expect(await signalsOf(run)).toEqual(['cancelRequested'])
    expect(await signalsOf(stranger)).toEqual([])
  })

  it('wakes a workflow that waits for a request decided before, and it continues from the store', async () => {
    const run = await addOldRun()
    const store = new ScriptedStore([[{ requestId: 'decided while it was away' }]])
    store.taskQueue = `${address.taskQueue}-behind`
    await using _served = await serve(store)
    await startWorkflow(run, store.taskQueue)
    await waitUntil(() => store.activityCounts.get('takeTurn') === 1)
    store.decided.add('decided while it was away')
    await untilListed(run)
    await waitUntil(async () => (await reconcile()).woken.includes(run.id))
    await temporal.client.workflow.getHandle(`run-${run.id}`).result()
    expect(store.journal).toEqual(['0.0'])
    await endRun(run)
  })

  it('does not wake a workflow whose run waits for people', async () => {
    const run = await addOldRun()
    await addRequest(service, run)
    const store = new ScriptedStore([[{ requestId: 'a' }]])
    store.taskQueue = `${address.taskQueue}-waiting`
    await using _served = await serve(store)
    await startWorkflow(run, store.taskQueue)
    await waitUntil(() => store.activityCounts.get('takeTurn') === 1)
    await untilListed(run)
    expect((await reconcile()).woken).not.toContain(run.id)
    expect(await signalsOf(run)).toEqual([])
    await endRun(run)
  })

  it('marks a run as stalled while its workflow code fails, and removes the mark when it continues', async () => {
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
    await waitUntil(async () => (await reconcileOn(store.taskQueue)).stalled.includes(run.id))
    expect(await failureOf(run)).toBe('stalled')
    broken.shutdown()
    await breaking
    await connection.close()
    await using _served = await serve(store)
    await waitUntil(async () => {
      await reconcile()
      return (await failureOf(run)) === undefined
    })
    await endRun(run)
  }, 240_000)

  // Rules: security.md 31
  it('restarts a run whose workflow fails at a message that was sent to it, records why, and the run continues', async () => {
    const run = await addOldRun()
    const store = new ScriptedStore([[{ requestId: 'a' }]])
    store.taskQueue = `${address.taskQueue}-undecodable`
    // The real store would say that the call may continue; this one returns the time of the next
    // look.
    store.deadlineMs = 1000
    // The workflow code without its own converter fails at a payload that it cannot decode.
    const fragile = await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    })
    await using _served = await serve(store, fragile)
    await startWorkflow(run, store.taskQueue)
    await waitUntil(() => store.activityCounts.get('takeTurn') === 1)
    const garbage = [payloadOf('binary/encrypted', 'x')]
    await rawSignal(temporal.client, `run-${run.id}`, 'decided', garbage)
    store.decided.add('a')
    await untilListed(run)
    await waitUntil(async () => (await reconcileOn(store.taskQueue)).stalled.includes(run.id))
    await temporal.client.workflow.getHandle(`run-${run.id}`).result()
    expect(store.journal).toEqual(['0.0'])
    const events = await auditDocuments(service.db, { run_id: run.id, type: 'system.reconciled' })
    expect(events.map(({ detail }) => detail)).toMatchObject([
      { found: 'stalled', why: 'fails', message: expect.stringContaining('encoding') },
      { found: 'restarted', why: 'fails' },
    ])
    const { failure } = await rowOf(service.db, 'run', { id: run.id })
    expect(failure?.message).toMatch(/because the workflow code fails on it: “.*encoding.*”/)
    expect(failure?.message).not.toContain('deployment')
    await endRun(run)
  }, 240_000)
})
