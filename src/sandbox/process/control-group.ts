import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readOrEmpty } from './read-or-empty.ts'

/** Processes that the kernel counts and bounds together. */
export interface ControlGroup {
  /** which of the two bounds the kernel enforces; the other is polled */
  readonly bounds: BoundsByKernel
  /** whether the kernel has ended one of them for lack of memory */
  outOfMemory(): boolean
  /** all its present members */
  pids(): number[]
  /** Removes the group, once no member is left. */
  end(): void
}

/** Which bounds the kernel can enforce for all processes of a command together on this host. */
export interface BoundsByKernel {
  readonly processes: boolean
  readonly memory: boolean
}

const mount = '/sys/fs/cgroup'
const nameOf = (pid: number, first: string): string => `countersign-${pid}-${first}`
const ourName = /^countersign-(\d+)-\w+$/

/**
 * Makes the kernel bound a process that was just started and has not begun, and all its descendants
 * (security.md 9): their number, including itself, and their memory, including its `/tmp`. `null`
 * where this process may not create control groups: then they are polled instead.
 */
export function boundByKernel(
  first: number,
  max: { readonly processes: number; readonly memoryBytes: number },
): ControlGroup | null {
  const name = nameOf(process.pid, String(first))
  const pids = makeGroup('pids', name, [first], (group) =>
    writeFileSync(join(group, 'pids.max'), String(max.processes)),
  )
  const memory = makeGroup('memory', name, [first], (group) => boundMemory(group, max.memoryBytes))
  const groups = [...new Set([pids, memory])].filter((group) => group !== null)
  if (groups.length === 0) return null
  return {
    bounds: { processes: pids !== null, memory: memory !== null },
    outOfMemory: () => memory !== null && killsIn(memory) > 0,
    pids: () => processesIn(groups[0] ?? ''),
    end() {
      for (const group of groups) {
        remove(group)
        removeLeftBehind(dirname(group))
      }
    },
  }
}

/** What `boundByKernel` can do here, tested with empty groups. */
export function boundsByKernel(): BoundsByKernel {
  const name = nameOf(process.pid, 'probe')
  const controllers = (['pids', 'memory'] as const).map((controller) => {
    const group = makeGroup(controller, name, [], (at) =>
      controller === 'pids'
        ? writeFileSync(join(at, 'pids.max'), '8')
        : boundMemory(at, 1024 * 1024 * 1024),
    )
    if (group !== null) remove(group)
    return group !== null
  })
  return { processes: controllers[0] === true, memory: controllers[1] === true }
}

/**
 * The remaining members of the groups of a dead process of the service; none, while there is a
 * process with that id.
 */
export function processesLeftBy(pid: number): number[] {
  if (existsSync(`/proc/${pid}`)) return []
  const parents = new Set(
    [parentFor('pids'), parentFor('memory')].filter((parent) => parent !== null),
  )
  return [...parents].flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => ourName.exec(name)?.[1] === String(pid))
      .flatMap((name) => processesIn(join(parent, name))),
  )
}

type Controller = 'pids' | 'memory'

/** A group of that controller with these processes, or `null` without leaving anything. */
function makeGroup(
  controller: Controller,
  name: string,
  pids: readonly number[],
  bound: (group: string) => void,
): string | null {
  const parent = parentFor(controller)
  if (parent === null) return null
  const group = join(parent, name)
  try {
    mkdirSync(group, { recursive: true })
    bound(group)
    for (const pid of pids) writeFileSync(join(group, 'cgroup.procs'), String(pid))
    return group
  } catch {
    remove(group)
    return null
  }
}

/** Version 2 has separate bounds for swap and memory, version 1 one for both together. */
function boundMemory(group: string, bytes: number): void {
  if (existsSync(join(group, 'memory.max'))) {
    writeFileSync(join(group, 'memory.max'), String(bytes))
    writeIfThere(join(group, 'memory.swap.max'), '0')
    writeIfThere(join(group, 'memory.oom.group'), '1')
    return
  }
  writeFileSync(join(group, 'memory.limit_in_bytes'), String(bytes))
  writeIfThere(join(group, 'memory.memsw.limit_in_bytes'), String(bytes))
}

function writeIfThere(file: string, text: string): void {
  try {
    if (existsSync(file)) writeFileSync(file, text)
  } catch {
    // A host that does not count swap has no swap.
  }
}

function killsIn(group: string): number {
  const file = ['memory.events', 'memory.oom_control'].find((name) => existsSync(join(group, name)))
  if (file === undefined) return 0
  return Number(/^oom_kill (\d+)$/m.exec(readOrEmpty(join(group, file)))?.[1] ?? 0)
}

/**
 * The parent of new groups, as deep as possible, so that bounds of this process apply to the
 * command as well. Version 1 of control groups has a hierarchy for each controller. Version 2 has
 * one hierarchy, in which a controller bounds only the groups below one that enables it.
 */
function parentFor(controller: Controller): string | null {
  const lines = readOrEmpty('/proc/self/cgroup').split('\n')
  const pathOf = (controllers: string): string | undefined =>
    lines
      .map((line) => line.split(':'))
      .find(([, names]) => names?.split(',').includes(controllers) === true)?.[2]
  const first = join(mount, controller)
  if (existsSync(join(first, 'cgroup.procs'))) {
    const at = join(first, pathOf(controller) ?? '/')
    return existsSync(join(at, 'cgroup.procs')) ? at : first
  }
  for (let at = join(mount, pathOf('') ?? '/'); at.startsWith(mount); at = dirname(at)) {
    const controllers = readOrEmpty(join(at, 'cgroup.subtree_control')).split(/\s+/)
    if (controllers.includes(controller)) return at
  }
  return null
}

/** Removes the groups of a killed process of the service; one with members stays. */
function removeLeftBehind(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = ourName.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) remove(join(parent, name))
  }
}

function processesIn(group: string): number[] {
  return readOrEmpty(join(group, 'cgroup.procs')).split('\n').filter(Boolean).map(Number)
}

function remove(group: string): void {
  try {
    rmdirSync(group)
  } catch {
    // It is not empty, or does not exist.
  }
}
