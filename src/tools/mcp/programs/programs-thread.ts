import { workerData } from 'node:worker_threads'
import { realpathSync } from 'node:fs'
import { errorMessage } from '#domain/error-message.ts'
import type { ServerPrograms } from '#policy/worker/server-programs.ts'
import { readPrograms } from './read-programs.ts'
import { send } from '../../threads/run-in-thread.ts'

/** Runs in a thread, because packages may be large: the answer is the files, or a sentence. */
const { root, servers, copies } = workerData as {
  root: string
  servers: ServerPrograms[]
  copies: string | null
}

send('loaded')
try {
  send({ files: readPrograms(realpathSync(root), servers, copies) })
} catch (error) {
  send({ problem: errorMessage(error) })
}
