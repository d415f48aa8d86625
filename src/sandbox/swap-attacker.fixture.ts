import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * A thread that swaps `victim` between a folder and a link to `outside`, and its file likewise,
 * until told to end.
 */
const { root, outside, stop } = workerData as {
  root: string
  outside: string
  stop: SharedArrayBuffer
}
const flag = new Int32Array(stop)
const victim = path.join(root, 'victim')
const aside = path.join(root, 'aside')
let swaps = 0

function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // The writer was faster: the next round tries again.
  }
}

while (Atomics.load(flag, 0) === 0) {
  quietly(() => renameSync(victim, aside))
  quietly(() => symlinkSync(outside, victim))
  quietly(() => rmSync(victim))
  quietly(() => renameSync(aside, victim))
  quietly(() => mkdirSync(victim))
  const file = path.join(victim, 'inner.txt')
  quietly(() => rmSync(file))
  quietly(() => symlinkSync(path.join(outside, 'bait.txt'), file))
  quietly(() => rmSync(file))
  if (swaps % 5 === 0) quietly(() => writeFileSync(file, 'there'))
  swaps += 1
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(swaps)
