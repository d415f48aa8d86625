import { workerData } from 'node:worker_threads'
import { send } from '../threads/run-in-thread.ts'
import { unifiedDiff } from './unified-diff.ts'

/** Runs in a worker thread: one difference (run-in-thread.ts). */
const { names, before, after } = workerData as {
  names: { before: string | null; after: string | null }
  before: string
  after: string
}

send('loaded')
send(unifiedDiff(names, before, after))
