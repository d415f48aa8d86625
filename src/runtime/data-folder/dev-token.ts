import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runFolder } from '../folders.ts'

/** Where the token of development sign-in lies: whoever can read it may sign in as anybody (security.md 26). */
export function devTokenFile(dataDir: string): string {
  return join(runFolder(dataDir), 'dev-token')
}

/** A new token, owner-only, in place of the last one. */
export async function writeDevToken(dataDir: string): Promise<string> {
  const file = devTokenFile(dataDir)
  const token = randomBytes(32).toString('base64url')
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const half = `${file}.${process.pid}.new`
  await writeFile(half, `${token}\n`, { mode: 0o600 })
  await chmod(half, 0o600)
  await rename(half, file)
  return token
}

/** The token in force, or `null` when there is no development sign-in. */
export async function readDevToken(dataDir: string): Promise<string | null> {
  return readFile(devTokenFile(dataDir), 'utf8').then(
    (text) => text.trim(),
    () => null,
  )
}

export async function removeDevToken(dataDir: string): Promise<void> {
  await rm(devTokenFile(dataDir), { force: true })
}
