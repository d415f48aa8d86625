import { statSync } from 'node:fs'
import { isStampSettled, stampOf } from '#sandbox/file-stamp.ts'

/**
 * Returns a cached `read` of a file or folder that reads again after it changed. There is no timer:
 * each turn of the event loop that calls it makes one `stat`, however many seals it checks. `read`
 * must not throw when the path does not exist; what it throws otherwise, each call throws.
 */
export function readOnChange<T>(path: string, read: () => T): () => T {
  let cached: { readonly value: T; readonly stamp: string } | null = null
  let isOfThisTurn = false
  return () => {
    if (isOfThisTurn && cached !== null) return cached.value
    const startedMs = Date.now()
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
    const stamp = stats === undefined ? 'absent' : stampOf(stats)
    if (cached?.stamp !== stamp) {
      cached = null
      const value = read()
      if (stats !== undefined && !isStampSettled(stats, startedMs)) return value
      cached = { value, stamp }
    }
    if (!isOfThisTurn) {
      isOfThisTurn = true
      setImmediate(() => {
        isOfThisTurn = false
      })
    }
    return cached.value
  }
}
