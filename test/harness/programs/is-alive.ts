import { readFileSync } from 'node:fs'

/** Whether a process runs; a zombie, for which nobody has waited yet, does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
