import { errorCode } from '#domain/error-code.ts'
import { mkdir, readFile, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { publishKey, signingKeyFile } from './signing-key.ts'
import {
  keyFolder,
  newKey,
  publicKeyFolder,
  refuseReadable,
  renameKeyFile,
  signerOf,
  writeKeyFile,
} from './key-files.ts'
import { exists } from '../files.ts'
import { runFolder } from '../folders.ts'
import { whileHolding } from '../processes/hold-file.ts'

/** The result of a rotation. */
export interface RotatedSigningKey {
  readonly previous: string
  readonly keyId: string
}

/**
 * Replaces the key that signs statements, also while processes run, since they watch the folder.
 * Signatures of the old key stay valid. With `compromised` the old key is marked first, and the API
 * retires it (`keepKeys`). After an interruption the folder has a complete key, the old or the new
 * one. Two on one host rotate one after the other; of two hosts that share the folder, each puts
 * its own key in place. Rejects without a key file, and if another rotation does not end.
 */
export async function rotateSigningKey(
  dataDir: string,
  options: { readonly compromised: boolean },
): Promise<RotatedSigningKey> {
  const file = signingKeyFile(dataDir)
  if (!(await exists(file))) {
    throw new Error(
      `there is no ${file}: start the API once, or rotate COUNTERSIGN_SIGNING_KEY where it is set (docs/keys.md)`,
    )
  }
  const runDir = runFolder(dataDir)
  await mkdir(runDir, { recursive: true, mode: 0o700 })
  const lock = { file: join(runDir, 'rotate.lock'), waitMs: 30_000 }
  return whileHolding(lock, () => rotate(dataDir, file, options))
}

async function rotate(
  dataDir: string,
  file: string,
  options: { readonly compromised: boolean },
): Promise<RotatedSigningKey> {
  refuseReadable(file, (await stat(file)).mode)
  const previous = signerOf(await readFile(file, 'utf8'), file).keyId
  // An earlier version that was killed left the private half of a published key here. If it cannot
  // be removed, the rotation fails before it marks or replaces a key.
  await rm(join(keyFolder(dataDir), 'signing.next.pem'), { force: true })
  if (options.compromised) await markCompromised(dataDir, previous)
  // No file has the new key yet: nobody else can put it in place before it is published.
  const pem = newKey()
  const signer = signerOf(pem, file)
  await publishKey(dataDir, signer)
  await writeKeyFile(file, pem, 0o600)
  return { previous, keyId: signer.keyId }
}

/**
 * Marks an older key that may have leaked. Rejects when the folder does not have it, and for the
 * key that signs, which counts until another one replaces it.
 */
export async function markOlderCompromised(dataDir: string, keyId: string): Promise<void> {
  const file = signingKeyFile(dataDir)
  if ((await exists(file)) && signerOf(await readFile(file, 'utf8'), file).keyId === keyId) {
    throw new Error(`${keyId} is the key that signs: without --id it is marked and replaced`)
  }
  await markCompromised(dataDir, keyId)
}

async function markCompromised(dataDir: string, keyId: string): Promise<void> {
  const folder = publicKeyFolder(dataDir)
  const isId = /^[0-9a-f]{16}$/.test(keyId)
  if (!isId || !(await exists(join(folder, `${keyId}.pem`)))) {
    throw new Error(`there is no key ${keyId} in ${folder}`)
  }
  if (await exists(retiredFile(folder, keyId))) return
  await writeKeyFile(retiringFile(folder, keyId), `${new Date().toISOString()}\n`, 0o644)
}

/** Ids of the keys that are marked and not retired yet. */
export async function findRetiring(dataDir: string): Promise<string[]> {
  const names = await readdir(publicKeyFolder(dataDir)).catch(() => [])
  return names.flatMap((name) => /^([0-9a-f]{16})\.retiring$/.exec(name)?.[1] ?? [])
}

/** Retires a marked key: no process of this data folder trusts it any more. */
export async function finishRetiring(dataDir: string, keyId: string): Promise<void> {
  const folder = publicKeyFolder(dataDir)
  try {
    await renameKeyFile(retiringFile(folder, keyId), retiredFile(folder, keyId))
  } catch (error) {
    // Another process has marked the key already.
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

function retiringFile(folder: string, keyId: string): string {
  return join(folder, `${keyId}.retiring`)
}

function retiredFile(folder: string, keyId: string): string {
  return join(folder, `${keyId}.retired`)
}
