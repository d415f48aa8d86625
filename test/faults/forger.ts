import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Client } from '@temporalio/client'
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker'
import type { FaultWorld } from './fault-world.ts'
import type { Forgery } from './forging-workflow.ts'

/** The installation's own task queue. */
export const ownQueue = 'countersign'

/** Somebody with a Temporal client and a Temporal worker of their own, on a queue of their own. */
export interface Forger extends AsyncDisposable {
  readonly client: Client
  /**
   * Schedules an activity on a queue of ours (`countersign-turns` for turns) and returns what it
   * answered, or its failure. `workflowId`: of the workflow that schedules it; absent: a new one.
   */
  activity(name: string, input: unknown, taskQueue?: string, workflowId?: string): Promise<unknown>
}

export async function startForger(world: FaultWorld): Promise<Forger> {
  const client = await world.temporal()
  const taskQueue = `forger-${randomUUID()}`
  const address = await world.temporalAddress()
  const connection = await NativeConnection.connect({ address })
  const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} }
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('./forging-workflow.ts', import.meta.url)),
      logger: quiet,
    }),
  })
  const running = worker.run()
  return {
    client,
    async activity(activity, input, queue = ownQueue, workflowId = randomUUID()) {
      const forgery: Forgery = { activity, input, taskQueue: queue }
      return client.workflow
        .execute('forge', { taskQueue, workflowId, args: [forgery] })
        .catch((error: unknown) => error)
    },
    async [Symbol.asyncDispose]() {
      worker.shutdown()
      await running
      await connection.close()
    },
  }
}
