import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
} from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Signer } from '#domain/statements/statement-bytes.ts'
import { exists, flushFolder, writeFlushed, writeOnce } from '../files.ts'

/** The folder of an installation's keys. */
export function keyFolder(dataDir: string): string {
  return join(dataDir, 'keys')
}

/** The folder of public statement keys: `ID.pem`, and `ID.retiring` or `ID.retired`. */
export function publicKeyFolder(dataDir: string): string {
  return join(keyFolder(dataDir), 'public')
}

/** The id of a key: the first 16 hex digits of the hash of its public half. */
export function keyIdOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('hex').slice(0, 16)
}

/**
 * The signer of a private key in PEM form. Throws a sentence that names `source` for anything but
 * an Ed25519 key.
 */
export function signerOf(pem: string, source: string): Signer {
  let privateKey: KeyObject
  try {
    privateKey = createPrivateKey(pem.replaceAll('\\n', '\n'))
  } catch (cause) {
    throw new Error(`${source} is not a private key in PEM form`, { cause })
  }
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error(`${source} is not an Ed25519 key`)
  return { keyId: keyIdOf(createPublicKey(privateKey)), privateKey }
}

/** Throws when `mode` permits others than the owner to read the file. */
export function refuseReadable(file: string, mode: number): void {
  if ((mode & 0o077) === 0) return
  throw new Error(
    `${file} can be read by others: chmod 600 it, and replace the key if somebody may have`,
  )
}

/** A new Ed25519 private key in PEM form. */
export function newKey(): string {
  return pemOf(generateKeyPairSync('ed25519').privateKey)
}

/** Makes an Ed25519 private key in this file, unless it exists. */
export async function createKeyOnce(file: string): Promise<void> {
  await createOnce(file, newKey)
}

/** Makes a P-256 private key in this file, for push services, unless it exists. */
export async function createP256KeyOnce(file: string): Promise<void> {
  await createOnce(file, () => pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey))
}

async function createOnce(file: string, generate: () => string): Promise<void> {
  if (await exists(file)) return
  await writeOnce(file, generate(), 0o600)
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** Writes a file atomically: a temporary file is flushed and renamed, and removed on a failure. */
export async function writeKeyFile(file: string, text: string, mode: number): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const half = `${file}.${randomUUID()}.new`
  try {
    await writeFlushed(half, text, mode)
    await renameKeyFile(half, file)
  } finally {
    await rm(half, { force: true })
  }
}

/** Renames a file within its folder; it is on the disk before this resolves. */
export async function renameKeyFile(from: string, to: string): Promise<void> {
  await rename(from, to)
  await flushFolder(dirname(to))
}
