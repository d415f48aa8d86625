import { parentPort, workerData } from 'node:worker_threads'
import { unifiedDiff } from './unified-diff.ts'

/** Runs in a worker thread: one difference, answered with one message. */
const { names, before, after } = workerData as {
  names: { before: string | null; after: string | null }
  before: string
  after: string
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(unifiedDiff(names, before, after))
