import { readdirSync } from 'node:fs'
import { readOrEmpty } from './read-or-empty.ts'

/** The resources of all descendants of a process, as far as they could be read. */
export interface TreeUse {
  /** in no order; without the process itself */
  readonly pids: readonly number[]
  /** memory of their own, swapped out or not, in bytes */
  readonly memoryBytes: number
  /** memory that they may share: counted for each of them, so it is an upper bound */
  readonly sharedBytes: number
  /** bytes written to disk by them and their ended children */
  readonly writtenBytes: number
}

/**
 * Reads the descendants of `pid`, at most `maxProcesses` of them. A process that ends meanwhile is
 * left out. Linux only: elsewhere the result is empty.
 */
export function lookAtTree(pid: number, maxProcesses: number): TreeUse {
  const pids: number[] = []
  let memoryBytes = 0
  let sharedBytes = 0
  let writtenBytes = 0
  const queue = [pid]
  for (let at = queue.pop(); at !== undefined && pids.length < maxProcesses; at = queue.pop()) {
    if (at !== pid) {
      pids.push(at)
      const { anonymous, shared } = memoryOf(at)
      memoryBytes += anonymous
      sharedBytes += shared
      writtenBytes += writtenBy(at)
    }
    queue.push(...childProcesses(at))
  }
  return { pids, memoryBytes, sharedBytes, writtenBytes }
}

/** The running children of any thread of a process. */
export function childProcesses(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) =>
    readOrEmpty(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

function memoryOf(pid: number): { anonymous: number; shared: number } {
  const status = readOrEmpty(`/proc/${pid}/status`)
  const of = (name: string): number =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0)
  return { anonymous: of('RssAnon') + of('VmSwap'), shared: of('RssShmem') }
}

function writtenBy(pid: number): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readOrEmpty(`/proc/${pid}/io`))?.[1] ?? 0)
}
