import { parseObject } from '#domain/json/parse-json.ts'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { writeWhole } from '../files.ts'

/** A process that can be recognised later: ids are reused, an id with its start time is not. */
export interface ProcessIdentity {
  readonly pid: number
  readonly startedAt: string
}

/**
 * When a process started, as an opaque text that is equal only for the same process: on Linux the
 * boot's id and the clock tick since boot, elsewhere what `ps` prints. `null` when nothing runs
 * there.
 */
function readStartTime(pid: number): string | null {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null
  return process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid)
}

/** The identity of a running process, or `null` when it has ended (a zombie has ended). */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const startedAt = readStartTime(pid)
  return startedAt === null ? null : { pid, startedAt }
}

/** Whether exactly this process (not another one with its id) still runs. */
export function isStillRunning(identity: ProcessIdentity): boolean {
  return readStartTime(identity.pid) === identity.startedAt
}

/** A running process's command line, separated by spaces; empty when it has ended. */
export function readCommandLine(pid: number): string {
  try {
    if (process.platform === 'linux') {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    }
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  } catch {
    return ''
  }
}

function startTimeFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program's name may have spaces and brackets; the fields are counted from the last
    // bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, ticks] = [fields[0], fields[19]]
    if (state === 'Z' || state === 'X' || ticks === undefined) return null
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${ticks}`
  } catch {
    return null
  }
}

function startTimeFromPs(pid: number): string | null {
  try {
    const printed = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
    })
    const [state, ...startedAt] = printed.trim().split(/\s+/)
    return state === undefined || state.startsWith('Z') ? null : startedAt.join(' ')
  } catch {
    return null
  }
}

/** Records a process, atomically. Mode 0600. */
export async function writeIdentityFile(file: string, identity: ProcessIdentity): Promise<void> {
  await writeWhole(file, `${JSON.stringify(identity)}\n`, 0o600)
}

/** The recorded process, or `null` when there is none (or the file is invalid). */
export async function readIdentityFile(file: string): Promise<ProcessIdentity | null> {
  const { pid, startedAt } = parseObject(await readFile(file, 'utf8').catch(() => '')) ?? {}
  return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : null
}

/** The recorded process if it still runs; `null` otherwise. */
export async function readRunningProcess(file: string): Promise<ProcessIdentity | null> {
  const identity = await readIdentityFile(file)
  return identity !== null && isStillRunning(identity) ? identity : null
}

/** Removes the record. */
export async function removeIdentityFile(file: string): Promise<void> {
  await rm(file, { force: true })
}
