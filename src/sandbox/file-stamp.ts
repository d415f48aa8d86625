import type { BigIntStats } from 'node:fs'

/**
 * Two changes this close may have the same times: what was read this soon after a change is read
 * again.
 */
export const unsettledMs = 100

/** Another value after each change of a file or folder, unless two changes are closer than that. */
export function stampOf(stats: BigIntStats): string {
  return `${stats.ino} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.size}`
}
