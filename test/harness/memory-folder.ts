import { statfsSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const inMemory = '/dev/shm'
/** What the databases of a run take at most, several times over. */
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
  await removeAbandoned(prefix)
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

/** A run that was killed leaves its folder, which would take memory until the machine restarts. */
async function removeAbandoned(prefix: string): Promise<void> {
  for (const name of await readdir(inMemory)) {
    if (!name.startsWith(prefix)) continue
    const folder = join(inMemory, name)
    const entry = await stat(folder).catch(() => null)
    if (entry === null || Date.now() - entry.mtimeMs < dayMs) continue
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}
