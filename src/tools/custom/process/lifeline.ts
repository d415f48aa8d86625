import { Worker } from 'node:worker_threads'

/** Closes when the parent ends. */
const descriptor = 5

/**
 * Starts a thread that waits on the pipe from the Temporal worker. When the pipe closes, the thread
 * ends the whole process group, even if a tool blocks the main thread or the Temporal worker was
 * killed.
 */
export function holdLifeline(): void {
  // The thread runs the text of a function: a file would load the type stripper again (12 MiB).
  new Worker(`(${endWithParent.toString()})()`, {
    eval: true,
    workerData: { descriptor },
    execArgv: [],
  }).unref()
}

/** The whole program of the thread. It cannot refer to anything else in this file. */
function endWithParent(): void {
  const { Socket } = process.getBuiltinModule('node:net')
  const { workerData } = process.getBuiltinModule('node:worker_threads')
  const { descriptor } = workerData as { descriptor: number }
  new Socket({ fd: descriptor, readable: true, writable: false })
    .on('error', () => undefined)
    .on('close', () => process.kill(-process.pid, 'SIGKILL'))
    .resume()
}
