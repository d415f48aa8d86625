import { readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const inMemory = '/dev/shm'
/** Several times the space that the databases of a run take at most. */
const neededBytes = 4 * 2 ** 30
const dayMs = 24 * 60 * 60_000

/**
 * A new folder for Postgres' files: in memory where there is room, else among the temporary files.
 * A database is two thousand files. ext4 takes 440 ms of processor time to make them after others
 * were removed, because it does not use the numbers of removed files again at once. Memory takes
 * 20.
 */
export async function newMemoryFolder(prefix: string): Promise<string> {
  if (!hasRoomInMemory()) return mkdtemp(join(tmpdir(), prefix))
  removeAbandoned(prefix, dayMs, () => true)
  return mkdtemp(join(inMemory, prefix))
}

/** Whether the files of a run have room in memory. */
export function hasRoomInMemory(): boolean {
  try {
    const space = statfsSync(inMemory)
    return Math.min(space.bavail * space.bsize, process.availableMemory()) >= neededBytes
  } catch {
    return false
  }
}

/**
 * Removes folders in memory that runs left because they were killed: those with this prefix that
 * are so old, and of which `isAbandoned` is true for the rest of the name.
 */
export function removeAbandoned(
  prefix: string,
  olderThanMs: number,
  isAbandoned: (rest: string) => boolean,
): void {
  for (const name of readdirSync(inMemory)) {
    if (!name.startsWith(prefix) || !isAbandoned(name.slice(prefix.length))) continue
    const folder = join(inMemory, name)
    try {
      const isOld = Date.now() - statSync(folder).mtimeMs >= olderThanMs
      if (isOld) rmSync(folder, { recursive: true, force: true })
    } catch {
      // Another run removes it at this moment, or may remove it alone.
    }
  }
}
