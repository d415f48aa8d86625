import { join } from 'node:path'
import { Client, Connection, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client'
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCountersignActivities, handleCallback } from '@countersign/temporal'
import { callbackSecret } from '#program-client'
import '../../harness/quiet-temporal.ts'
import { useTemporal, type TestTemporal } from '../../harness/temporal.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { openApprovalDesk, type ApprovalDesk } from './approval-desk.ts'

let desk: ApprovalDesk
let temporal: TestTemporal
let client: Client
let native: NativeConnection
let code: { readonly code: string }
const refunded: unknown[] = []

beforeAll(async () => {
  desk = await openApprovalDesk()
  temporal = await useTemporal()
  const { address, namespace } = temporal
  client = new Client({ connection: await Connection.connect({ address }), namespace })
  native = await NativeConnection.connect({ address })
  code = await bundleWorkflowCode({
    workflowsPath: join(import.meta.dirname, 'refund-workflow.ts'),
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error: console.error },
    // The package runs from its sources, as everywhere in these tests.
    webpackConfigHook: (config) => ({
      ...config,
      resolve: { ...config.resolve, conditionNames: ['countersign-source', 'import', 'default'] },
    }),
  })
})
afterAll(async () => {
  await native?.close()
  await client?.connection.close()
  await desk?.[Symbol.asyncDispose]()
})

/** A Temporal worker of the team, until it is disposed of. */
async function startWorker(): Promise<AsyncDisposable> {
  const { namespace, taskQueue } = temporal
  const activities = {
    refund: async (input: unknown) => {
      refunded.push(input)
      return 'refunded'
    },
    ...createCountersignActivities(desk.client, { callbackUrl: 'http://127.0.0.1:9/decided' }),
  }
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue,
    activities,
    workflowBundle: code,
  })
  const running = worker.run()
  return {
    async [Symbol.asyncDispose]() {
      worker.shutdown()
      await running
    },
  }
}

async function start(order: string, lookEvery?: number): Promise<WorkflowHandle> {
  const { taskQueue } = temporal
  const args = lookEvery === undefined ? [order] : [order, lookEvery]
  const handle = await client.workflow.start('refundOrder', {
    workflowId: `${taskQueue}-${order}`,
    taskQueue,
    args,
  })
  await waitUntil(async () => (await desk.pending(`refund_${order}`)).length === 1)
  return handle
}

/** The callback of the service, as it signs it; to the address that the request has. */
async function callBack(handle: WorkflowHandle, externalId: string, key = desk.apiKey) {
  const data = { requestId: 'r1', externalId, state: 'approved' }
  const body = JSON.stringify({ specversion: '1.0', type: 'request.decided', data })
  const at = new Date()
  const headers = {
    'webhook-id': 'm1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(await callbackSecret(key)).sign('m1', at, body),
  }
  const url = `http://127.0.0.1:9/decided?workflow=${handle.workflowId}`
  const { status } = await handleCallback(
    new Request(url, { method: 'POST', headers, body }),
    desk.client,
    client,
  )
  return status
}

test('a workflow waits through a restart of its worker, is woken by the callback, and makes its call once', async () => {
  let handle: WorkflowHandle
  {
    await using _ = await startWorker()
    handle = await start('1042')
  }
  const request = await desk.decide('refund_1042', 'approve')
  expect(request.input).toEqual({ order: '1042', cents: 1999 })
  expect(await callBack(handle, request.externalId)).toBe(204)
  await using _ = await startWorker()
  expect(await handle.result()).toBe('refunded')
  expect(refunded).toEqual([{ order: '1042', cents: 1999 }])
  expect(await desk.stateOf(request.id)).toEqual({ state: 'approved', execution: 'succeeded' })
  // Who repeats a callback wakes nothing.
  expect(await callBack(handle, request.externalId)).toBe(204)
  const { events } = await handle.fetchHistory()
  const timers = events?.filter(({ timerStartedEventAttributes }) => timerStartedEventAttributes)
  // None when the callback came before the workflow began to wait.
  expect(timers?.length).toBeLessThanOrEqual(1)
})

test('a callback that the service did not sign wakes nothing, and a signal without a decision only looks', async () => {
  await using _ = await startWorker()
  const handle = await start('1043')
  const [request] = await desk.pending('refund_1043')
  const externalId = request?.externalId ?? ''
  expect(await callBack(handle, externalId, 'cs_another_key')).toBe(401)
  expect(await callBack(handle, externalId)).toBe(204)
  await desk.decide('refund_1043', 'deny')
  expect(await callBack(handle, externalId)).toBe(204)
  const failure = await handle.result().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(WorkflowFailedError)
  expect((failure as WorkflowFailedError).cause?.cause).toMatchObject({
    type: 'DeniedError',
    message: expect.stringContaining('Grace denied this: looked at it'),
  })
  expect(refunded).toHaveLength(1)
})

test('without a callback the workflow looks by itself, and a cancelled one withdraws its request', async () => {
  await using _ = await startWorker()
  const looking = await start('1044', 500)
  await desk.decide('refund_1044', 'approve')
  expect(await looking.result()).toBe('refunded')
  const cancelled = await start('1045')
  const [request] = await desk.pending('refund_1045')
  await cancelled.cancel()
  await expect(cancelled.result()).rejects.toThrow(WorkflowFailedError)
  expect(await desk.stateOf(request?.id ?? '')).toMatchObject({ state: 'cancelled' })
})
