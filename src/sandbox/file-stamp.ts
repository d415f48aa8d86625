import type { BigIntStats } from 'node:fs'

/** Two changes this close may have the same times. */
const unsettledMs = 100

/** Another value after each change of a file or folder, unless two changes are closer than that. */
export function stampOf(stats: BigIntStats): string {
  return `${stats.ino} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.size}`
}

/**
 * Whether each change after these `stats` gives another stamp, so that what is read then may be
 * kept. `startedMs` is the time before the stats were taken: with a time after the read, a change
 * in between could have the same stamp. `ctime` counts, because programs can set `mtime` back.
 */
export function isStampSettled(stats: BigIntStats, startedMs: number): boolean {
  return startedMs - Number(stats.ctimeMs) > unsettledMs
}
