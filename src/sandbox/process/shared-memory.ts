import { readOrEmpty } from './read-or-empty.ts'

/** Memory that these processes share, each page once: slower than counting it for each. */
export function sharedBy(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + kibOf(`/proc/${pid}/smaps_rollup`, 'Pss_Shmem'), 0)
}

/** Anonymous shared memory that these processes have mapped, touched or not. */
export function mappedBy(pids: readonly number[]): number {
  const sizes = new Map<string, number>()
  for (const pid of pids) {
    for (const line of readOrEmpty(`/proc/${pid}/maps`).split('\n')) {
      const [range = '', , , , inode = '', name = ''] = line.split(/\s+/)
      if (name !== '/dev/zero') continue
      const [from = 0, to = 0] = range.split('-').map((address) => Number.parseInt(address, 16))
      // A mapping that was split has several lines: the largest one of a process is a lower bound.
      sizes.set(inode, Math.max(sizes.get(inode) ?? 0, to - from))
    }
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}

/** Shared memory of all processes of the host, including files in memory. */
export function sharedOfHost(): number {
  return kibOf('/proc/meminfo', 'Shmem')
}

function kibOf(file: string, name: string): number {
  return 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readOrEmpty(file))?.[1] ?? 0)
}
