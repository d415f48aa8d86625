import { randomBytes } from 'node:crypto'
import { Connection } from '@temporalio/client'
import { msToTs } from '@temporalio/common/lib/time.js'
import { askService } from './ask-service.ts'
import { waitUntil } from './wait-until.ts'

/** Temporal for one test file: a namespace and a task queue that no other file uses. */
export interface TestTemporal {
  /** `host:port` of the shared development server. */
  address: string
  namespace: string
  taskQueue: string
}

/**
 * A fresh task queue on the shared development server, in the namespace `default`.
 *
 * @example const { address, namespace, taskQueue } = await useTemporal()
 */
export async function useTemporal(): Promise<TestTemporal> {
  const address = await askService('temporal')
  return { address, namespace: 'default', taskQueue: `test-${randomBytes(6).toString('hex')}` }
}

/**
 * As {@link useTemporal}, in a namespace of its own: for tests that list workflows or depend on the
 * namespace's id. Returns when the server has noticed it, which takes seconds.
 */
export async function useOwnNamespace(): Promise<TestTemporal> {
  const temporal = await useTemporal()
  const namespace = temporal.taskQueue
  const connection = await Connection.connect({ address: temporal.address })
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('1 day'),
    })
    await waitUntil(() => namespaceIsServed(connection, namespace))
  } finally {
    await connection.close()
  }
  return { ...temporal, namespace }
}

/** Describing reads the store; listing goes through the cache that workers and clients meet. */
async function namespaceIsServed(connection: Connection, namespace: string): Promise<boolean> {
  try {
    await connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1 })
    return true
  } catch {
    return false
  }
}
