import { constants } from 'node:fs'
import { access, open, rename, writeFile } from 'node:fs/promises'

/** Whether there is something at this path. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Whether there is a file at this path that this process may run. */
export function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** Writes a file atomically: readers see the old or the new contents. `mode` as for `writeFile`. */
export async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  const half = `${file}.${process.pid}.new`
  await writeFile(half, text, { mode })
  await rename(half, file)
}

/** Makes a new file in this folder survive a loss of power. */
export async function flushFolder(folder: string): Promise<void> {
  await using handle = await open(folder)
  await handle.sync()
}
