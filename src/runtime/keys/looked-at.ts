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
export function lookedAt<T>(path: string, read: () => T): () => T {
  let known: { readonly value: T; readonly stamp: string } | null = null
  return () => {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
    const stamp =
      stats === undefined
        ? 'absent'
        : `${stats.ino} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.size}`
    if (known?.stamp === stamp) return known.value
    const value = read()
    const settled =
      stats === undefined || Date.now() - Number(stats.mtimeNs / 1_000_000n) > unsettledMs
    known = settled ? { value, stamp } : null
    return value
  }
}
