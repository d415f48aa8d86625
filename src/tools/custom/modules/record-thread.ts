import { parentPort, workerData } from 'node:worker_threads'
import { errorMessage } from '#domain/error-message.ts'
import { recordModules } from './record-modules.ts'

/**
 * Runs in a thread, because packages may be large: an answer is what was recorded, or the sentence
 * why not.
 */
const { projectDir, toolFiles } = workerData as { projectDir: string; toolFiles: string[] }

function send(message: unknown): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message)
}

send('loaded')
try {
  send({ modules: recordModules(projectDir, toolFiles) })
} catch (error) {
  send({ problem: errorMessage(error) })
}
