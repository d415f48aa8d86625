import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { link, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Signer, Verifier } from '../domain/statement-bytes.ts'
import { noteKey, type NoteKey } from '../evidence/note/note-key.ts'
import type { NoteSigner } from '../evidence/note/signed-note.ts'
import { readText } from './environment.ts'
import type { Environment } from './environment.ts'

/**
 * Keys of an installation (security.md 13). In the data folder: `keys/signing.pem`, the private key
 * (owner-only, read by the API alone), and `keys/public/ID.pem`, the public keys, old ones too, that
 * Temporal workers verify with. Or from the environment: `COUNTERSIGN_SIGNING_KEY` for the API,
 * `COUNTERSIGN_PUBLIC_KEYS` (PEM or base64, one after the other) for Temporal workers. Beside them `keys/log.pem`, or
 * `COUNTERSIGN_LOG_KEY`: the key of the audit log's checkpoints, the API's alone too.
 */
function keyFolder(dataDir: string): string {
  return join(dataDir, 'keys')
}

/** The id of a key: the first 16 hex digits of the hash of its public half. */
export function keyIdOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('hex').slice(0, 16)
}

/**
 * The API's signer. Made on first start; of two processes that make one, the first wins.
 * Throws when the file can be read by others, or holds no Ed25519 key.
 */
export async function loadSigner(dataDir: string, environment: Environment): Promise<Signer> {
  const given = readText(environment, 'COUNTERSIGN_SIGNING_KEY')
  if (given !== undefined) return signerOf(given, 'COUNTERSIGN_SIGNING_KEY')
  const signer = await readOwnFile(join(keyFolder(dataDir), 'signing.pem'))
  await publish(dataDir, signer)
  return signer
}

/**
 * The signer of the audit log's checkpoints, made and refused like the API's other one. Its name, which is the log's
 * origin, is that of its public key: it stays what it is when the installation moves to another address.
 */
export async function loadLogSigner(
  dataDir: string,
  environment: Environment,
): Promise<NoteSigner> {
  const given = readText(environment, 'COUNTERSIGN_LOG_KEY')
  return logSignerOf(
    given === undefined
      ? await readOwnFile(logKeyFile(dataDir))
      : signerOf(given, 'COUNTERSIGN_LOG_KEY'),
  )
}

/** The public half of the same, where it was made already; `null`: not here. */
export async function findLogKey(
  dataDir: string,
  environment: Environment,
): Promise<NoteKey | null> {
  const file = logKeyFile(dataDir)
  const given =
    readText(environment, 'COUNTERSIGN_LOG_KEY') ?? (await readFile(file, 'utf8').catch(() => null))
  return given === null ? null : logSignerOf(signerOf(given, file)).key
}

function logSignerOf({ keyId, privateKey }: Signer): NoteSigner {
  return { key: noteKey(`countersign/${keyId}`, createPublicKey(privateKey)), privateKey }
}

function logKeyFile(dataDir: string): string {
  return join(keyFolder(dataDir), 'log.pem')
}

async function readOwnFile(file: string): Promise<Signer> {
  await createOnce(file)
  const { mode } = await stat(file)
  if ((mode & 0o077) !== 0) {
    throw new Error(
      `${file} can be read by others: chmod 600 it, and replace the key if somebody may have`,
    )
  }
  return signerOf(await readFile(file, 'utf8'), file)
}

/** The public half as one line, for `COUNTERSIGN_PUBLIC_KEYS` on the hosts of Temporal workers. */
export function publicKeyLine(signer: Signer): string {
  const der = createPublicKey(signer.privateKey).export({ type: 'spki', format: 'der' })
  return der.toString('base64')
}

/** The public keys that statements are verified with: never from a row. Throws when there is none. */
export async function loadVerifier(dataDir: string, environment: Environment): Promise<Verifier> {
  const given = readText(environment, 'COUNTERSIGN_PUBLIC_KEYS')
  const keys = given === undefined ? await readPublicFiles(dataDir) : readGivenKeys(given)
  const publicKeys = new Map<string, KeyObject>()
  for (const key of keys) {
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('a public key is not an Ed25519 key')
    publicKeys.set(keyIdOf(key), key)
  }
  if (publicKeys.size === 0) {
    throw new Error(
      `no public key: start the API once with this data folder (${dataDir}), or set COUNTERSIGN_PUBLIC_KEYS`,
    )
  }
  return { publicKeys }
}

function signerOf(pem: string, source: string): Signer {
  let privateKey: KeyObject
  try {
    privateKey = createPrivateKey(pem.replaceAll('\\n', '\n'))
  } catch (cause) {
    throw new Error(`${source} is not a private key in PEM form`, { cause })
  }
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error(`${source} is not an Ed25519 key`)
  return { keyId: keyIdOf(createPublicKey(privateKey)), privateKey }
}

/** Written beside its place and linked into it: whole or not there, and never over another key. */
async function createOnce(file: string): Promise<void> {
  if (
    await stat(file).then(
      () => true,
      () => false,
    )
  )
    return
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 })
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  const half = `${file}.${process.pid}.new`
  await writeFile(half, pem, { mode: 0o600 })
  try {
    await link(half, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(half, { force: true })
  }
}

async function publish(dataDir: string, signer: Signer): Promise<void> {
  const folder = join(keyFolder(dataDir), 'public')
  await mkdir(folder, { recursive: true })
  const pem = createPublicKey(signer.privateKey).export({ type: 'spki', format: 'pem' })
  await writeFile(join(folder, `${signer.keyId}.pem`), pem, { mode: 0o644 })
}

async function readPublicFiles(dataDir: string): Promise<KeyObject[]> {
  const folder = join(keyFolder(dataDir), 'public')
  const names = await readdir(folder).catch(() => [])
  return Promise.all(
    names
      .filter((name) => name.endsWith('.pem'))
      .map(async (name) => createPublicKey(await readFile(join(folder, name), 'utf8'))),
  )
}

function readGivenKeys(text: string): KeyObject[] {
  try {
    return splitKeys(text)
  } catch (cause) {
    throw new Error(
      'COUNTERSIGN_PUBLIC_KEYS is neither PEM nor the base64 that the API prints when it starts',
      { cause },
    )
  }
}

/** PEM blocks, or the keys' base64 one after the other: a `.env` has no room for line ends. */
function splitKeys(text: string): KeyObject[] {
  if (text.includes('-----BEGIN')) {
    const blocks = text
      .replaceAll('\\n', '\n')
      .match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g)
    return (blocks ?? []).map((block) => createPublicKey(block))
  }
  return text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) =>
      createPublicKey({ key: Buffer.from(part, 'base64'), format: 'der', type: 'spki' }),
    )
}
