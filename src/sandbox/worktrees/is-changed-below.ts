import { lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import { bytesOfName, textOfName } from '../names/raw-names.ts'

/** The most files of one folder that are looked at. */
const maxFiles = 20_000

/**
 * Whether a folder, or anything in it, was changed after a time of the file system, without
 * following links. A folder with more files than are looked at, or that cannot be read, counts as
 * changed.
 */
export async function isChangedBelow(folder: string, sinceNs: bigint): Promise<boolean> {
  let files = 0
  const folders = [folder]
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const state = await lstat(bytesOfName(at), { bigint: true }).catch(() => null)
    if (state === null) continue
    if (state.ctimeNs >= sinceNs) return true
    if (!state.isDirectory()) continue
    const names = await readdir(bytesOfName(at), { encoding: 'buffer' }).catch(() => null)
    files += names?.length ?? 0
    if (names === null || files > maxFiles) return true
    folders.push(...names.map((name) => path.join(at, textOfName(name))))
  }
  return false
}
