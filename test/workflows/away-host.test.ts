import { randomUUID } from 'node:crypto'
import { Client, Connection, type WorkflowHandle } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { decided } from '#workflows/messages.ts'
import { turnQueueOf } from '#workflows/activity-port.ts'
import { useTemporal, type TestTemporal } from '../harness/temporal.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { ScriptedStore, workflowBundle } from './scripted-run.ts'

let temporal: TestTemporal
let native: NativeConnection
let connection: Connection

beforeAll(async () => {
  temporal = await useTemporal()
  native = await NativeConnection.connect({ address: temporal.address })
  connection = await Connection.connect({ address: temporal.address })
})
afterAll(async () => {
  await native?.close()
  await connection?.close()
})

async function running(...workers: readonly Worker[]): Promise<AsyncDisposable> {
  const runs = Promise.all(workers.map((worker) => worker.run()))
  return {
    async [Symbol.asyncDispose]() {
      for (const worker of workers) worker.shutdown()
      await runs
    },
  }
}

/** What serves the workflows, on another host than the workspace's. */
async function serveWorkflows(store: ScriptedStore): Promise<AsyncDisposable> {
  const { executeCall: _, takeTurn: __, ...activities } = store.activities
  const { namespace, taskQueue } = temporal
  const bundle = await workflowBundle()
  return running(
    await Worker.create({
      connection: native,
      namespace,
      taskQueue,
      workflowBundle: bundle,
      activities,
      sinks: store.sinks,
    }),
  )
}

/** The host that has the workspace: turns and executions. */
async function serveWorkspace(store: ScriptedStore): Promise<AsyncDisposable> {
  const { executeCall, takeTurn } = store.activities
  const { namespace } = temporal
  const options = { connection: native, namespace }
  return running(
    await Worker.create({ ...options, taskQueue: store.taskQueue, activities: { executeCall } }),
    await Worker.create({
      ...options,
      taskQueue: turnQueueOf(store.taskQueue),
      activities: { takeTurn },
    }),
  )
}

async function waitsForHost(handle: WorkflowHandle, activity: string): Promise<boolean> {
  const { raw } = await handle.describe()
  return (raw.pendingActivities ?? []).some((one) => one.activityType?.name === activity)
}

it("goes on when the workspace's host is back, which was away before a turn and before an execution", async () => {
  const store = new ScriptedStore([[{ requestId: 'a' }]])
  store.taskQueue = `${temporal.taskQueue}-workspace`
  await using _workflows = await serveWorkflows(store)
  const client = new Client({ connection, namespace: temporal.namespace })
  const handle = await client.workflow.start('agentRun', {
    workflowId: `agent-run:${randomUUID()}`,
    taskQueue: temporal.taskQueue,
    args: [{ runId: 'run' }],
  })
  await waitUntil(() => waitsForHost(handle, 'takeTurn'))
  {
    await using _host = await serveWorkspace(store)
    await waitUntil(() => store.activityCounts.get('takeTurn') === 1)
  }
  store.decided.add('a')
  await handle.signal(decided, ['a'])
  await waitUntil(() => waitsForHost(handle, 'executeCall'))
  expect(store.journal).toEqual([])
  await using _back = await serveWorkspace(store)
  await handle.result()
  expect(store.journal).toEqual(['0.0'])
  // Another host executes the call, so the one of the workflow prepares nothing.
  expect(store.prepared).toEqual([])
})

it('issues a call again that had not started when its time was over, and only that one', async () => {
  const store = new ScriptedStore([[{ requestId: 'a' }, {}]])
  store.taskQueue = `${temporal.taskQueue}-again`
  const failed = new Set<string>()
  store.onExecute = async (callId) => {
    if (failed.has(callId)) return
    failed.add(callId)
    throw new Error('the host went away before anything had started')
  }
  await using _workflows = await serveWorkflows(store)
  await using _host = await serveWorkspace(store)
  store.decided.add('a')
  const client = new Client({ connection, namespace: temporal.namespace })
  const handle = await client.workflow.start('agentRun', {
    workflowId: `agent-run:${randomUUID()}`,
    taskQueue: temporal.taskQueue,
    args: [{ runId: 'run' }],
  })
  await waitUntil(() => store.activityCounts.get('takeTurn') === 1)
  await handle.signal(decided, ['a'])
  await handle.result()
  expect(store.journal).toEqual(['0.0', '0.1'])
  expect([...failed]).toEqual(['0.0', '0.1'])
})
