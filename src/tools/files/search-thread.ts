import { parentPort, workerData } from 'node:worker_threads'
import { searchLines } from './search-lines.ts'

/** Runs in a worker thread, because a pattern may take for ever: one file a message, one answer each. */
const { pattern } = workerData as { pattern: string }
const expression = new RegExp(pattern, 'u')

function send(message: unknown): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message)
}

parentPort?.on('message', ({ text, most }: { text: string; most: number }) => {
  send(searchLines(expression, text, most))
})
send('loaded')
