import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []

/** A new empty folder, whose name begins with `prefix`; it is removed when this process ends. */
export function newFolder(prefix: string): string {
  if (folders.length === 0)
    process.once('exit', () => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    })
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)))
  folders.push(folder)
  return folder
}
