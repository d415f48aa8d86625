import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How often a process of the service looks whether it rests. */
export const lookEveryMs = 10_000
/** A process that worked for less than this part of the time since the last look rests. */
const maxUse = 0.05
/** The heap is collected when it has grown to this multiple of what the last collection left. */
const growth = 1.5
/** A larger heap would stop the process for more than a third of a second: 64 MiB take 0.2 s. */
const maxHeapBytes = 96 * 1024 * 1024
/** The shortest time between two collections in a process that people use from time to time. */
const pauseMs = 600_000

/**
 * Collects garbage when this process rests, after its start and after each time in which its heap
 * has grown by half. V8 collects only when it needs room, so that a process which rests keeps the
 * garbage of its start: a third of its memory (bench/README.md, idle).
 */
export function collectAtRest(everyMs: number): Disposable {
  let heapAfter = 0
  let nextMs = 0
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    const { total_heap_size: heapNow, used_heap_size: used } = getHeapStatistics()
    if (utilization > maxUse || heapNow < growth * heapAfter || used > maxHeapBytes) return
    if (performance.now() < nextMs) return
    collect()
    nextMs = performance.now() + pauseMs
    heapAfter = getHeapStatistics().total_heap_size
  }, everyMs)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Of all kinds of collection, this one gives memory back to the system. */
const kind = { type: 'major', execution: 'sync', flavor: 'last-resort' } as const

/**
 * Node has this function behind an option, which takes effect in contexts made afterwards. Compiled
 * code stays: V8 would discard what has not run for some collections, and the first decision after
 * a quiet night would compile it again.
 */
const collect = (): void => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options: typeof kind) => void
  setFlagsFromString('--no-expose-gc')
  setFlagsFromString('--no-flush-bytecode')
  gc(kind)
  setFlagsFromString('--flush-bytecode')
}
