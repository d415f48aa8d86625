import { parentPort } from 'node:worker_threads'
import type { FromWatch } from './loop-turns.ts'

/** Sends a message of the watching thread to the thread that it watches. */
export function sendFromWatch(message: FromWatch): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message)
}
