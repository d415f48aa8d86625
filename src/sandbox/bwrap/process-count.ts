import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The processes of one sandbox, counted by the kernel. */
export interface ProcessCount {
  /** Stops counting, once none of them is left. */
  end(): void
}

const nameOf = (pid: number, sandbox: number): string => `countersign-${pid}-${sandbox}`
const ourName = /^countersign-(\d+)-\d+$/

/**
 * Lets the kernel bound the processes of a sandbox that was just started and has not begun: `most`, itself included
 * (security.md 9). It counts in a control group, since root's processes count against nothing else. `null` where this
 * process may make none: an ordinary person's are bounded by `prlimit`.
 */
export function countProcesses(sandbox: number, most: number): ProcessCount | null {
  const root = countingRoot()
  if (root === null) return null
  const group = join(root, nameOf(process.pid, sandbox))
  try {
    mkdirSync(group)
    writeFileSync(join(group, 'pids.max'), String(most))
    writeFileSync(join(group, 'cgroup.procs'), String(sandbox))
  } catch {
    remove(group)
    return null
  }
  return {
    end() {
      remove(group)
      removeLeftBehind(root)
    },
  }
}

/** Version 1 has a hierarchy that counts processes; version 2 counts below its root where it was told to. */
function countingRoot(): string | null {
  if (existsSync('/sys/fs/cgroup/pids/cgroup.procs')) return '/sys/fs/cgroup/pids'
  const unified = '/sys/fs/cgroup'
  try {
    const controllers = readFileSync(join(unified, 'cgroup.subtree_control'), 'utf8')
    return controllers.split(/\s+/).includes('pids') ? unified : null
  } catch {
    return null
  }
}

/** What a process of ours that was killed could not remove. One in which something still runs stays. */
function removeLeftBehind(root: string): void {
  for (const name of readdirSync(root)) {
    const pid = ourName.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) remove(join(root, name))
  }
}

function remove(group: string): void {
  try {
    rmdirSync(group)
  } catch {
    // It is not empty, or was never there.
  }
}
