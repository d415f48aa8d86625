import { createPublicKey, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RetiredKey, Verifier } from '#domain/statements/statement-bytes.ts'
import { readText, type Environment } from '../environment.ts'
import { keyIdOf, publicKeyFolder } from './key-files.ts'
import { readOnChange } from './read-on-change.ts'

/** The keys that verify statements, and retired ones. */
type Keys = Required<Verifier>

/**
 * The public keys that verify statements, never from a row. Those of the data folder are read again
 * when they change, so that a rotation takes effect in every process. Throws when there is none.
 */
export async function loadVerifier(dataDir: string, environment: Environment): Promise<Verifier> {
  const configured = readText(environment, 'COUNTERSIGN_PUBLIC_KEYS')
  const retired = readText(environment, 'COUNTERSIGN_RETIRED_KEYS')?.split(/[\s,]+/) ?? []
  const folder = publicKeyFolder(dataDir)
  const readKeys =
    configured === undefined
      ? readOnChange(folder, () => keysIn(folder, retired))
      : constant(configuredKeys(configured, retired))
  const { publicKeys } = readKeys()
  if (publicKeys.size === 0) {
    throw new Error(
      `no public key: start the API once with this data folder (${dataDir}), or set COUNTERSIGN_PUBLIC_KEYS`,
    )
  }
  return {
    get publicKeys() {
      return readKeys().publicKeys
    },
    get retired() {
      return readKeys().retired
    },
  }
}

function constant<T>(value: T): () => T {
  return () => value
}

function configuredKeys(text: string, retired: readonly string[]): Keys {
  return sortKeys(
    readConfiguredKeys(text).map((key) => ({
      key,
      retiredAt: retired.includes(keyIdOf(key)) ? '' : null,
    })),
  )
}

function keysIn(folder: string, retired: readonly string[]): Keys {
  const names = existsSync(folder) ? readdirSync(folder) : []
  return sortKeys(
    names
      .filter((name) => name.endsWith('.pem'))
      .map((name) => {
        const key = createPublicKey(readFileSync(join(folder, name), 'utf8'))
        const id = keyIdOf(key)
        const mark = join(folder, `${id}.retired`)
        const isMarked = names.includes(`${id}.retired`)
        const retiredAt = isMarked ? readFileSync(mark, 'utf8').trim() : null
        return { key, retiredAt: retiredAt ?? (retired.includes(id) ? '' : null) }
      }),
  )
}

function sortKeys(
  keys: readonly { readonly key: KeyObject; readonly retiredAt: string | null }[],
): Keys {
  const publicKeys = new Map<string, KeyObject>()
  const retired = new Map<string, RetiredKey>()
  for (const { key, retiredAt } of keys) {
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('a public key is not an Ed25519 key')
    if (retiredAt === null) publicKeys.set(keyIdOf(key), key)
    else retired.set(keyIdOf(key), { publicKey: key, at: retiredAt })
  }
  return { publicKeys, retired }
}

function readConfiguredKeys(text: string): KeyObject[] {
  try {
    return splitKeys(text)
  } catch (cause) {
    throw new Error(
      'COUNTERSIGN_PUBLIC_KEYS is neither PEM nor the base64 that the API prints when it starts',
      { cause },
    )
  }
}

/** PEM blocks, or the keys' base64 one after the other: a `.env` cannot contain line ends. */
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
