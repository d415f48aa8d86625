import { parentPort, workerData } from 'node:worker_threads'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { openWorkspace } from './workspace.ts'

/**
 * A thread with modules of its own, as another process has them: in each round it writes on top of
 * the same base as its rivals, and counts whether it was told that it did.
 */
const { root, rounds, rivals, shared } = workerData as {
  root: string
  rounds: number
  rivals: number
  /** how many arrived at a round's start, and how many won it */
  shared: SharedArrayBuffer
}
const counts = new Int32Array(shared)
const workspace = await openWorkspace({ root, hidden: [] })

async function arrive(at: number): Promise<void> {
  Atomics.add(counts, at, 1)
  while (Atomics.load(counts, at) < rivals) await new Promise((resolve) => setImmediate(resolve))
}

for (let round = 0; round < rounds; round += 1) {
  await arrive(3 * round)
  const { hash } = await workspace.state('notes/a.md', { hash: true })
  await arrive(3 * round + 1)
  const text = `${round} ${Math.random()}`
  try {
    await workspace.write('notes/a.md', Buffer.from(text), hash ?? 'absent')
    Atomics.add(counts, 3 * round + 2, 1)
  } catch (error) {
    if (!(error instanceof WorkspaceProblem) || error.code !== 'stale') throw error
  }
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage('done')
