import { parentPort, workerData } from 'node:worker_threads'
import { unifiedDiff } from './unified-diff.ts'

/** Runs in a worker thread: one difference (run-in-thread.ts). */
const { names, before, after } = workerData as {
  names: { before: string | null; after: string | null }
  before: string
  after: string
}
function send(message: unknown): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message)
}

send('loaded')
send(unifiedDiff(names, before, after))
