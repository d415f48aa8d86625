import { createPublicKey } from 'node:crypto'
import { join } from 'node:path'
import type { Signer } from '#domain/statements/statement-bytes.ts'
import { readText, type Environment } from '../environment.ts'
import {
  createKeyOnce,
  keyFolder,
  publicKeyFolder,
  signerOf,
  writeKeyFile,
  refuseReadable,
} from './key-files.ts'
import { readFileSync, statSync } from 'node:fs'
import { readOnChange } from './read-on-change.ts'
import { exists } from '../files.ts'

/**
 * Keys of an installation (security.md 13, docs/keys.md). In the data folder: `keys/signing.pem`,
 * the private key (owner-only, read by the API alone), and `keys/public/ID.pem`, the public keys,
 * old ones too, that Temporal workers verify with. Or from the environment:
 * `COUNTERSIGN_SIGNING_KEY` for the API, `COUNTERSIGN_PUBLIC_KEYS` (PEM or base64, one after the
 * other) for Temporal workers. Beside them `keys/log.pem`, or `COUNTERSIGN_LOG_KEY`: the key of the
 * audit log's checkpoints, the API's alone too.
 */
export function signingKeyFile(dataDir: string): string {
  return join(keyFolder(dataDir), 'signing.pem')
}

/**
 * The API's signer. Made on first start; of two concurrent processes, the first wins. It follows
 * the file when the key rotates. Throws when others can read the file, or it has no Ed25519 key.
 */
export async function loadSigner(dataDir: string, environment: Environment): Promise<Signer> {
  const configured = readText(environment, 'COUNTERSIGN_SIGNING_KEY')
  if (configured !== undefined) return signerOf(configured, 'COUNTERSIGN_SIGNING_KEY')
  await createKeyOnce(signingKeyFile(dataDir))
  const signer = signerOfFile(signingKeyFile(dataDir))
  await publishKey(dataDir, signer)
  return signer
}

/** Writes the public half for the Temporal workers of this data folder. */
export async function publishKey(dataDir: string, signer: Signer): Promise<void> {
  const { keyId, privateKey } = signer
  const file = join(publicKeyFolder(dataDir), `${keyId}.pem`)
  if (await exists(file)) return
  const pem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' })
  await writeKeyFile(file, pem.toString(), 0o644)
}

/** The public half as one line, for `COUNTERSIGN_PUBLIC_KEYS` on the hosts of Temporal workers. */
export function publicKeyLine(signer: Signer): string {
  const der = createPublicKey(signer.privateKey).export({ type: 'spki', format: 'der' })
  return der.toString('base64')
}

/**
 * The signer of a key file, read again when the file is replaced, so that a rotation takes effect.
 * `keyId` is read first, and the two belong together. Throws when the file is missing, readable by
 * others or not a key.
 */
function signerOfFile(file: string): Signer {
  const look = readOnChange(file, () => {
    refuseReadable(file, statSync(file).mode)
    return signerOf(readFileSync(file, 'utf8'), file)
  })
  let current = look()
  return {
    get keyId() {
      current = look()
      return current.keyId
    },
    get privateKey() {
      return current.privateKey
    },
  }
}
