import { workerData } from 'node:worker_threads'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { openWorkspace } from '#sandbox/workspace.ts'
import { mayReadWithin } from './may-read.ts'
import { send } from '../../threads/run-in-thread.ts'
import { listBelow } from './list-below.ts'
import type { LookMessage, LookSetup } from './look-below.ts'
import { searchBelow } from './search-below.ts'

/** Runs in a worker thread: one look below a folder (look-below.ts). */
const setup = workerData as LookSetup
const report = (message: LookMessage): void => send(message)

send('loaded')
report(await look())

async function look(): Promise<LookMessage> {
  const { root, hidden, folder, bounds, task, limitMs } = setup
  try {
    const looking = {
      workspace: await openWorkspace({ root, hidden }),
      folder,
      mayRead: mayReadWithin(bounds),
      until: performance.now() + limitMs,
      limitMs,
      report,
    }
    return {
      end: await (task.do === 'list' ? listBelow(looking, task) : searchBelow(looking, task)),
    }
  } catch (error) {
    if (!(error instanceof WorkspaceProblem)) throw error
    const { code, path, message } = error
    return { problem: { code, path, message } }
  }
}
