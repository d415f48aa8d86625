import { readdirSync } from 'node:fs'
import { readOrEmpty } from './read-or-empty.ts'

/** The marks of the processes of a command without a sandbox. */
export interface CommandMark {
  /** the first one, the leader of a session of its own */
  readonly first: number
  /** `NAME=value` in the environment that all of them inherit */
  readonly variable: string
  /** those of its control group, if there is one */
  readonly others: readonly number[]
}

/**
 * The processes of a command, however they were started: those of its session and group, those with
 * its mark in their environment, those of its control group, and all descendants of these. Linux
 * only; elsewhere the result is empty.
 */
export function processesOf(mark: CommandMark): number[] {
  const processes = new Map<number, { parent: number; isMember: boolean }>()
  for (const name of entriesOf('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    const stat = readOrEmpty(`/proc/${pid}/stat`, 'latin1')
    const [state, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === undefined || /^[ZX]/.test(state)) continue
    const isLed = mark.first > 0 && [group, session].includes(String(mark.first))
    const isMember = isLed || mark.others.includes(pid) || isMarked(pid, mark.variable)
    processes.set(pid, { parent: Number(parent), isMember })
  }
  const isOwn = (pid: number, steps = 0): boolean => {
    const entry = processes.get(pid)
    if (entry === undefined || steps > processes.size) return false
    return entry.isMember || isOwn(entry.parent, steps + 1)
  }
  return [...processes.keys()].filter((pid) => isOwn(pid))
}

function isMarked(pid: number, variable: string): boolean {
  return readOrEmpty(`/proc/${pid}/environ`, 'latin1').split('\0').includes(variable)
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
