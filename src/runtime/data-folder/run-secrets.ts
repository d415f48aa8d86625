import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeOnce, writeWhole } from '../files.ts'
import { runFolder, hostProofFile } from '../folders.ts'

/**
 * The file with the token of development sign-in: anybody who can read it may sign in as anybody
 * (security.md 26).
 */
export function devTokenFile(dataDir: string): string {
  return join(runFolder(dataDir), 'dev-token')
}

/** Writes a new token, owner-only, in place of the last one. */
export async function writeDevToken(dataDir: string): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await replaceSecret(devTokenFile(dataDir), `${token}\n`)
  return token
}

/** The token in force, or `null` when there is no development sign-in. */
export async function readDevToken(dataDir: string): Promise<string | null> {
  return readFile(devTokenFile(dataDir), 'utf8').then(
    (text) => text.trim(),
    () => null,
  )
}

/** Removes the development token, so that it signs in nobody after the end of the service. */
export async function removeDevToken(dataDir: string): Promise<void> {
  await rm(devTokenFile(dataDir), { force: true })
}

/**
 * The file with the token of this host: anybody who can read it may make sign-in links (api.md,
 * `people link` on the host).
 */
function hostTokenFile(dataDir: string): string {
  return join(runFolder(dataDir), 'host-token')
}

/** The token of this data folder, owner-only; the first process makes it for all of them. */
export async function ensureHostToken(dataDir: string): Promise<string> {
  const file = hostTokenFile(dataDir)
  await writeOnce(file, `${randomBytes(32).toString('base64url')}\n`, 0o600)
  return (await readFile(file, 'utf8')).trim()
}

/**
 * Writes a new owner-only key in place of the last one: programs of the same person on this host
 * prove with it in which folder they work (product.md 46). Earlier proofs are void. Disposing
 * removes it, unless another start has replaced it.
 */
export async function renewHostProof(dataDir: string): Promise<AsyncDisposable> {
  const file = hostProofFile(dataDir)
  const key = randomBytes(32).toString('hex')
  await replaceSecret(file, key)
  return {
    async [Symbol.asyncDispose]() {
      const now = await readFile(file, 'utf8').catch(() => null)
      if (now === key) await rm(file, { force: true })
    },
  }
}

/**
 * Reads the key of the newest start each time, so that processes that share a data folder agree.
 * `null`: there is none.
 */
export function hostProofReader(dataDir: string): () => Promise<Buffer | null> {
  return () => readFile(hostProofFile(dataDir)).catch(() => null)
}

/** Owner-only from its first byte on, even if an old file of that name exists. */
async function replaceSecret(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeWhole(file, text, 0o600)
}
