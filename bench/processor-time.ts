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

/** Processor time so far, in milliseconds, of these processes and everything they have started. */
export async function processorMs(roots: readonly number[]): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const processes = new Map<number, ProcessTime>()
  for (const pid of pids) {
    const found = await readProcess(pid)
    if (found !== null) processes.set(Number(pid), found)
  }
  const belongs = (pid: number): boolean => {
    for (let at = pid; at > 1; at = processes.get(at)?.parent ?? 0)
      if (roots.includes(at)) return true
    return false
  }
  return [...processes].reduce((sum, [pid, { ms }]) => sum + (belongs(pid) ? ms : 0), 0)
}
