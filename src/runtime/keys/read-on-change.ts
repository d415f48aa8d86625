import { statSync } from 'node:fs'

/**
 * Two changes within this time may have the same modification time: the file is then read again.
 */
const unsettledMs = 100

/**
 * Returns a cached `read` of a file or folder that reads again after it changed. Each call costs
 * one `stat`; there is no timer. `read` must not throw when the path does not exist.
 */
export function readOnChange<T>(path: string, read: () => T): () => T {
  let cached: { readonly value: T; readonly stamp: string } | null = null
  return () => {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
    const stamp =
      stats === undefined
        ? 'absent'
        : `${stats.ino} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.size}`
    if (cached?.stamp === stamp) return cached.value
    const value = read()
    const isStable =
      stats === undefined || Date.now() - Number(stats.mtimeNs / 1_000_000n) > unsettledMs
    cached = isStable ? { value, stamp } : null
    return value
  }
}
