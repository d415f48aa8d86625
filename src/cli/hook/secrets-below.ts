import { lstat, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { secretName } from '#policy/names/secret-names.ts'

/** Bounds of the search, because a call waits for it. */
const maxEntries = 50_000
const maxMs = 2_000

/**
 * Whether a search by another program below a path of the folder `root` could read an environment
 * or key file, which `search_files` leaves out. Also true if that cannot be known: the path has a
 * link, a folder cannot be read, or there are too many entries.
 */
export async function hasSecretsBelow(root: string, path: string): Promise<boolean> {
  try {
    const top = await realpath(root)
    const start = join(top, path)
    if ((await realpath(start)) !== start.replace(/(?<=.)\/+$/, '')) return true
    if (!(await lstat(start)).isDirectory()) return secretName(path) !== null
    return await isAmong(top, path)
  } catch {
    return true
  }
}

async function isAmong(top: string, path: string): Promise<boolean> {
  const endsAt = performance.now() + maxMs
  const folders = [path]
  let entriesLeft = maxEntries
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(join(top, folder), { withFileTypes: true })
    entriesLeft -= entries.length
    if (entriesLeft < 0 || performance.now() > endsAt) return true
    for (const entry of entries) {
      const at = join(folder, entry.name)
      if (entry.isDirectory()) folders.push(at)
      else if (secretName(at) !== null) return true
    }
  }
  return false
}
