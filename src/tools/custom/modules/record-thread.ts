import { workerData } from 'node:worker_threads'
import { errorMessage } from '#domain/error-message.ts'
import { recordModules } from './record-modules.ts'
import { send } from '../../threads/run-in-thread.ts'

/** Runs in a thread, for large packages. Answers with the record, or a sentence why not. */
const { projectDir, toolFiles } = workerData as { projectDir: string; toolFiles: string[] }

send('loaded')
try {
  send({ modules: recordModules(projectDir, toolFiles) })
} catch (error) {
  send({ problem: errorMessage(error) })
}
