import { Socket } from 'node:net'
import { workerData } from 'node:worker_threads'

/**
 * A thread that waits on the pipe from the Temporal worker and ends the whole process group when it
 * closes: also while a tool blocks the main thread, and when the Temporal worker was killed.
 */
const { descriptor } = workerData as { descriptor: number }

new Socket({ fd: descriptor, readable: true, writable: false })
  .on('error', () => undefined)
  .on('close', () => process.kill(-process.pid, 'SIGKILL'))
  .resume()
