import { errorCode } from '#domain/error-code.ts'
import { createPublicKey } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Signer } from '#domain/statements/statement-bytes.ts'
import { noteKey, type NoteKey } from '#evidence/note/note-key.ts'
import type { NoteSigner } from '#evidence/note/signed-note.ts'
import { readText, type Environment } from '../environment.ts'
import { createKeyOnce, keyFolder, refuseReadable, renameKeyFile, signerOf } from './key-files.ts'
import { exists } from '../files.ts'

/** The private keys of the log that this process has. */
export interface LogKeyFiles {
  readonly present: Signer
  /** the key that will replace the present one */
  readonly next: Signer | null
  /** the previous key, in an environment with a new one: it can sign the replacement */
  readonly before: Signer | null
  /** a person on the host declared the previous key lost or compromised */
  readonly isUnvouched: boolean
  /** the declaration is old and no new key followed */
  readonly isStale: boolean
}

/** A person who replaces a compromised key declares it first, and makes the new one at once. */
const staleAfterMs = 5000

/**
 * Reads the log's keys of the data folder, and makes the first; `COUNTERSIGN_LOG_KEY` replaces the
 * file, and `COUNTERSIGN_LOG_KEY_BEFORE` is the previous key. Throws when others can read a file,
 * or it has no Ed25519 key.
 */
export async function readLogKeyFiles(
  dataDir: string,
  environment: Environment,
): Promise<LogKeyFiles> {
  const configured = readText(environment, 'COUNTERSIGN_LOG_KEY')
  const before = readText(environment, 'COUNTERSIGN_LOG_KEY_BEFORE')
  const files = filesOf(dataDir)
  if (configured === undefined) await createKeyOnce(files.present)
  const hasNext = configured === undefined && (await exists(files.next))
  return {
    present:
      configured === undefined
        ? await readOwnFile(files.present)
        : signerOf(configured, 'COUNTERSIGN_LOG_KEY'),
    next: hasNext ? await readOwnFile(files.next) : null,
    before: before === undefined ? null : signerOf(before, 'COUNTERSIGN_LOG_KEY_BEFORE'),
    ...(await readMark(files.unvouched)),
  }
}

/** The public half of the present key under the log's name; `null`: it does not exist here. */
export async function findLogKey(
  dataDir: string,
  environment: Environment,
  name: string | null,
): Promise<NoteKey | null> {
  const { present: file } = filesOf(dataDir)
  const configured =
    readText(environment, 'COUNTERSIGN_LOG_KEY') ?? (await readFile(file, 'utf8').catch(() => null))
  return configured === null ? null : namedSigner(signerOf(configured, file), name).key
}

/** A key of the log: under the log's name, or under its own when it is the first (`null`). */
export function namedSigner({ keyId, privateKey }: Signer, name: string | null): NoteSigner {
  return {
    key: noteKey(name ?? `countersign/${keyId}`, createPublicKey(privateKey)),
    privateKey,
  }
}

/**
 * Makes the next key, which takes effect when an API process sees it. An existing one stays.
 * `isUnvouched`: the present key does not sign it. Rejects where there is no present key in the
 * folder, and then leaves no mark, by which the replacement of a key from elsewhere would count as
 * unvouched.
 */
export async function makeNextLogKey(
  dataDir: string,
  { isUnvouched }: { readonly isUnvouched: boolean },
): Promise<void> {
  const { present, next } = filesOf(dataDir)
  if (!(await exists(present))) {
    throw new Error(
      `there is no ${present}: start the API once, or rotate COUNTERSIGN_LOG_KEY where it is set (docs/keys.md)`,
    )
  }
  // Before the key: a process that sees the key must see the mark.
  if (isUnvouched) await markUnvouched(dataDir)
  await createKeyOnce(next)
}

/** Records that the next replacement has no signature of the previous key. */
export async function markUnvouched(dataDir: string): Promise<void> {
  await writeFile(filesOf(dataDir).unvouched, `${new Date().toISOString()}\n`, { mode: 0o600 })
}

/** Whether a requested replacement has not happened yet. */
export async function isHandoverOpen(dataDir: string): Promise<boolean> {
  const { next, unvouched } = filesOf(dataDir)
  return (await exists(next)) || (await exists(unvouched))
}

/** After the replacement: the new key becomes the present one, and the previous one is removed. */
export async function finishHandover(dataDir: string): Promise<void> {
  const { present, next, unvouched } = filesOf(dataDir)
  try {
    if (await exists(next)) await renameKeyFile(next, present)
  } catch (error) {
    // Another process of the same folder was first.
    if (errorCode(error) !== 'ENOENT') throw error
  }
  await rm(unvouched, { force: true })
}

async function readMark(file: string): Promise<Pick<LogKeyFiles, 'isUnvouched' | 'isStale'>> {
  const mark = await stat(file).catch(() => null)
  if (mark === null) return { isUnvouched: false, isStale: false }
  return { isUnvouched: true, isStale: Date.now() - mark.mtimeMs > staleAfterMs }
}

function filesOf(dataDir: string) {
  const folder = keyFolder(dataDir)
  return {
    present: join(folder, 'log.pem'),
    next: join(folder, 'log.next.pem'),
    unvouched: join(folder, 'log.unvouched'),
  }
}

async function readOwnFile(file: string): Promise<Signer> {
  refuseReadable(file, (await stat(file)).mode)
  return signerOf(await readFile(file, 'utf8'), file)
}
