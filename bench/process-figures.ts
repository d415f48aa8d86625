import { readFile, readdir } from 'node:fs/promises'

/** Clock ticks a second in /proc, on every Linux that Node runs on. */
const ticksPerSecond = 100

interface ProcessTime {
  readonly parent: number
  readonly ms: number
}

async function readProcess(pid: string): Promise<ProcessTime | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (text === null) return null
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + (fields[field] ?? 0), 0)
  return { parent: fields[1] ?? 0, ms: (ticks / ticksPerSecond) * 1000 }
}

/** The process that started this one. */
export async function parentOf(pid: number): Promise<number> {
  return (await readProcess(String(pid)))?.parent ?? 0
}

/** Processor time so far, in milliseconds, of these processes and everything they have started. */
export async function processorMs(roots: readonly number[]): Promise<number> {
  return (await treeOf(roots)).reduce((sum, { ms }) => sum + ms, 0)
}

/** Memory of processes and what they started, in MiB; what they share counts once. */
export async function memoryMiB(roots: readonly number[]): Promise<number> {
  let kib = 0
  for (const { pid } of await treeOf(roots)) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    kib += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)
  }
  return Math.round(kib / 1024)
}

/** The running processes among these, and all that descend from them. */
async function treeOf(
  roots: readonly number[],
): Promise<readonly (ProcessTime & { pid: number })[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const processes = new Map<number, ProcessTime>()
  for (const pid of pids) {
    const figures = await readProcess(pid)
    if (figures !== null) processes.set(Number(pid), figures)
  }
  const belongs = (pid: number): boolean => {
    for (let at = pid; at > 1; at = processes.get(at)?.parent ?? 0)
      if (roots.includes(at)) return true
    return false
  }
  return [...processes].flatMap(([pid, one]) => (belongs(pid) ? [{ pid, ...one }] : []))
}
