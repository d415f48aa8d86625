import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Executable } from '#domain/tools/command.ts'
import { fixedPath } from './command-environment.ts'

/**
 * The program for a name in a command: an absolute path as it is, a bare name on the fixed PATH.
 * `null` when there is none. Folders on the way are real; a program keeps its own name, since many
 * depend on it.
 */
export async function findProgram(name: string): Promise<Executable | null> {
  if (name === '' || name.includes('\0')) return null
  if (name.includes('/')) return path.isAbsolute(name) ? programAt(name) : null
  for (const folder of fixedPath) {
    const program = await programAt(`${folder}/${name}`)
    if (program !== null) return program
  }
  return null
}

async function programAt(at: string): Promise<Executable | null> {
  try {
    if (!(await stat(at)).isFile()) return null
    await access(at, constants.X_OK)
    const folder = await realpath(path.dirname(at))
    return { path: path.join(folder, path.basename(at)), hash: await hashOf(at) }
  } catch {
    return null
  }
}

const hashes = new Map<string, string>()

/**
 * Cached under the file's device, inode, size and times, so that a program that was replaced or
 * changed is read again.
 */
async function hashOf(at: string): Promise<string> {
  const { ctimeNs, dev, ino, mtimeNs, size } = await stat(at, { bigint: true })
  const key = [dev, ino, size, mtimeNs, ctimeNs].join(':')
  const cachedHash = hashes.get(key)
  if (cachedHash !== undefined) return cachedHash
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(at)) hash.update(chunk as Buffer)
  const digest = `sha256:${hash.digest('hex')}`
  if (hashes.size > 1000) hashes.clear()
  hashes.set(key, digest)
  return digest
}
