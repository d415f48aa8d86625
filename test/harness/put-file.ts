import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

type Contents = string | Uint8Array

/** Writes a file below a folder, with the folders that lead to it. */
export function putFile(folder: string, at: string, contents: Contents): void {
  const path = join(folder, at)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, contents)
}

/** The same for files by their paths. */
export function putFiles(
  folder: string,
  files: Readonly<Record<string, Contents>> | Iterable<readonly [string, Contents]>,
): void {
  const entries = Symbol.iterator in files ? files : Object.entries(files)
  for (const [at, contents] of entries) putFile(folder, at, contents)
}
