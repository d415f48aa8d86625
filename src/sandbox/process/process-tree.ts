import { readFileSync, readdirSync } from 'node:fs'

/** What the processes below one use together, as far as they could be read. */
export interface TreeUse {
  /** in no order; without the one asked about */
  readonly pids: readonly number[]
  /** memory of their own, in bytes */
  readonly memoryBytes: number
  /** written to disk, in bytes, by them and by their children that ended */
  readonly writtenBytes: number
}

const pageBytes = 4096

/**
 * Looks at the processes below `pid`, at most `most` of them. One that ends meanwhile counts as nothing. Linux only:
 * elsewhere there is nothing to be found.
 */
export function lookAtTree(pid: number, most: number): TreeUse {
  const pids: number[] = []
  let memoryBytes = 0
  let writtenBytes = 0
  const waiting = [pid]
  for (let at = waiting.pop(); at !== undefined && pids.length < most; at = waiting.pop()) {
    if (at !== pid) {
      pids.push(at)
      memoryBytes += memoryOf(at)
      writtenBytes += writtenBy(at)
    }
    waiting.push(...childrenOf(at))
  }
  return { pids, memoryBytes, writtenBytes }
}

/** The processes that any thread of a process started and that still are. */
export function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

function memoryOf(pid: number): number {
  const [, resident = 0, shared = 0] = read(`/proc/${pid}/statm`).split(' ').map(Number)
  return Math.max(0, resident - shared) * pageBytes
}

function writtenBy(pid: number): number {
  return Number(/^write_bytes: (\d+)$/m.exec(read(`/proc/${pid}/io`))?.[1] ?? 0)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
