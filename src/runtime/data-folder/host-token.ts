import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runFolder } from '../folders.ts'

/** Where the token of this host lies: whoever can read it may make sign-in links (api.md, `people link` on the host). */
export function hostTokenFile(dataDir: string): string {
  return join(runFolder(dataDir), 'host-token')
}

/** The token of this data folder, owner-only; made by the first process that asks, the same for all of them. */
export async function ensureHostToken(dataDir: string): Promise<string> {
  const file = hostTokenFile(dataDir)
  await mkdir(runFolder(dataDir), { recursive: true, mode: 0o700 })
  const half = `${file}.${process.pid}.new`
  await writeFile(half, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  try {
    // A link is made whole or not at all: of two processes at once, one makes the token.
    await link(half, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(half, { force: true })
  }
  return (await readFile(file, 'utf8')).trim()
}
