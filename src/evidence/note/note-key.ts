import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { decodeBase64 } from '#domain/text/encoding/base64.ts'
import { MalformedEvidence } from '../malformed-evidence.ts'

/**
 * What a signature of a note covers: the text (`ed25519`), or a cosignature with its time (C2SP
 * tlog-cosignature).
 */
export type NoteAlgorithm = 'ed25519' | 'cosignature'

const algorithmBytes: Readonly<Record<NoteAlgorithm, number>> = { ed25519: 1, cosignature: 4 }

/** The public half of a key for notes. `keyId` is the 4 bytes of C2SP signed-note as a number. */
export interface NoteKey {
  readonly name: string
  readonly algorithm: NoteAlgorithm
  readonly keyId: number
  readonly publicKey: KeyObject
}

/** Subject public key info of an Ed25519 key, up to its 32 bytes (RFC 8410). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * A key with its id. Throws `MalformedEvidence` for a name that is invalid in a note, or a key
 * other than Ed25519.
 */
export function noteKey(
  name: string,
  publicKey: KeyObject,
  algorithm: NoteAlgorithm = 'ed25519',
): NoteKey {
  if (!isKeyName(name)) {
    throw new MalformedEvidence(
      `"${name}" is not the name of a key: a name is not empty and has no spaces and no +`,
    )
  }
  if (publicKey.asymmetricKeyType !== 'ed25519') {
    throw new MalformedEvidence(`The key of ${name} is not an Ed25519 key`)
  }
  return { name, algorithm, keyId: keyIdOf(name, typedKey(publicKey, algorithm)), publicKey }
}

/** The key as one line, `name+hash+base64` (C2SP signed-note). */
export function formatVerifierKey(key: NoteKey): string {
  return `${keyLabel(key)}+${typedKey(key.publicKey, key.algorithm).toString('base64')}`
}

/** `name+hash`: the name of a key in signature lines. */
export function keyLabel({ name, keyId }: Pick<NoteKey, 'name' | 'keyId'>): string {
  return `${name}+${keyId.toString(16).padStart(8, '0')}`
}

/**
 * The key of such a line. Throws `MalformedEvidence` for an invalid one, or one whose hash is not
 * its key's.
 */
export function parseVerifierKey(line: string): NoteKey {
  const [, name = '', hash = '', base64 = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/u.exec(line) ?? []
  const keyBytes = decodeBase64(base64)
  const algorithm = (['ed25519', 'cosignature'] as const).find(
    (algorithm) => algorithmBytes[algorithm] === keyBytes?.[0],
  )
  if (keyBytes === null || keyBytes.length !== 33 || algorithm === undefined) {
    throw new MalformedEvidence('A verifier key is "name+hash+base64" of an Ed25519 key')
  }
  const der = Buffer.concat([spkiPrefix, keyBytes.subarray(1)])
  const key = noteKey(name, createPublicKey({ key: der, format: 'der', type: 'spki' }), algorithm)
  if (key.keyId !== Number.parseInt(hash, 16)) {
    throw new MalformedEvidence(`The hash of the key of ${name} is not ${hash}`)
  }
  return key
}

/** Whether a name fits a signature line: no white space, no plus (C2SP signed-note). */
export function isKeyName(name: string): boolean {
  return name !== '' && !/[\s+\p{Cc}]/u.test(name) && name.isWellFormed()
}

function typedKey(publicKey: KeyObject, algorithm: NoteAlgorithm): Buffer {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return Buffer.concat([Buffer.of(algorithmBytes[algorithm]), der.subarray(spkiPrefix.length)])
}

function keyIdOf(name: string, keyBytes: Buffer): number {
  return createHash('sha256').update(`${name}\n`).update(keyBytes).digest().readUInt32BE(0)
}
