import { fileURLToPath } from 'node:url'
import { NativeConnection, Worker } from '@temporalio/worker'
import { monotonicMs } from '../figures.ts'

/**
 * A Temporal worker with the settings of the service's, in a process of its own: `worker.ts ADDRESS
 * TASK_QUEUE`.
 */
const [address = '', taskQueue = ''] = process.argv.slice(2)
const connection = await NativeConnection.connect({ address })
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./workflow.ts', import.meta.url)),
  activities: { firstLine: async () => monotonicMs() },
  maxCachedWorkflows: 500,
})
process.on('SIGTERM', () => worker.shutdown())
process.send?.('ready')
await worker.run()
await connection.close()
