import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkoutFolder } from './folders.ts'

/**
 * The SHA-256 (hex) over these files and the files in these folders, each with its path, without
 * tests. Paths are relative to the checkout.
 */
export async function hashSources(sources: {
  readonly folders: readonly string[]
  readonly files: readonly string[]
}): Promise<string> {
  const paths: string[] = []
  for (const folder of sources.folders) {
    const entries = await readdir(join(checkoutFolder, folder), {
      recursive: true,
      withFileTypes: true,
    })
    const files = entries
      .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
      .map((entry) => join(entry.parentPath, entry.name))
    paths.push(...files.toSorted())
  }
  paths.push(...sources.files.map((file) => join(checkoutFolder, file)))
  const hash = createHash('sha256')
  for (const file of paths) {
    hash
      .update(`${file.slice(checkoutFolder.length)}\0`)
      .update(await readFile(file))
      .update('\0')
  }
  return hash.digest('hex')
}
