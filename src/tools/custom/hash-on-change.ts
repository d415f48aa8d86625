import { stat } from 'node:fs/promises'
import { areTooManyFilesOpen } from '#domain/too-many-files.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { isStampSettled, stampOf } from '#sandbox/file-stamp.ts'
import { readRegularFile } from '#sandbox/read-regular-file.ts'
import { tooManyFiles } from '#sandbox/process/has-pipes.ts'
import { QueryNotAccepted } from './query-child.ts'

/**
 * Returns a function for the hash of a file that reads the file again only after it changed; `null`
 * where no regular file can be read. Each call makes one `stat`.
 */
export function hashOnChange(at: string): () => Promise<string | null> {
  let cached: { readonly stamp: string; readonly hash: string | null } | null = null
  return async () => {
    const startedMs = Date.now()
    const stats = await stat(at, { bigint: true }).catch(() => null)
    if (stats === null) return null
    const stamp = stampOf(stats)
    if (cached?.stamp === stamp) return cached.hash
    const hash = await hashNow(at)
    cached = isStampSettled(stats, startedMs) ? { stamp, hash } : null
    return hash
  }
}

/**
 * The hash of the bytes that a file has now; `null` where no regular file can be read. Rejects with
 * `QueryNotAccepted` while too many files are open: that says nothing about the file.
 */
export async function hashNow(at: string): Promise<string | null> {
  try {
    const bytes = await readRegularFile(at)
    return bytes === null ? null : hashBytes(bytes)
  } catch (error) {
    if (!areTooManyFilesOpen(error)) return null
    throw new QueryNotAccepted(`The tool's files could not be read: ${tooManyFiles}.`)
  }
}
