import { statSync } from 'node:fs'

/**
 * A change within this time after another one may leave the same time behind: what was read then is
 * read again.
 */
const unsettledMs = 100

/**
 * What is read from a file or folder that may change under a running process, read again when it
 * did: one `stat` each time it is asked for, no timer. `read` must not throw where nothing is there
 * yet.
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
