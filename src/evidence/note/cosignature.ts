import { sign, verify } from 'node:crypto'
import { MalformedEvidence } from '../malformed-evidence.ts'
import type { NoteKey } from './note-key.ts'
import type { NoteSignature, NoteSigner, SignedNote } from './signed-note.ts'

/** A time of eight bytes before the 64 of Ed25519. */
const timeBytes = 8
/** The end of the year 9999: a later time is wrong. */
const maxTimestampSeconds = 253_402_300_799

/**
 * Cosigns a checkpoint's text at a time in whole seconds since 1970 (C2SP tlog-cosignature): a
 * statement that the witness saw this tree, and no other that does not continue it. The key's
 * algorithm is `cosignature`.
 */
export function cosign(
  text: string,
  { key, privateKey }: NoteSigner,
  atSeconds: number,
): NoteSignature {
  const time = Buffer.alloc(timeBytes)
  time.writeBigUInt64BE(BigInt(atSeconds))
  const signature = sign(null, cosignedBytes(text, atSeconds), privateKey)
  return { name: key.name, keyId: key.keyId, signature: Buffer.concat([time, signature]) }
}

/**
 * When this witness cosigned the note, in seconds since 1970; `null` when it did not. Throws
 * `MalformedEvidence` when its cosignature does not hold.
 */
export function cosignedAt(note: SignedNote, key: NoteKey): number | null {
  const own = note.signatures.find(({ name, keyId }) => name === key.name && keyId === key.keyId)
  if (own === undefined || key.algorithm !== 'cosignature') return null
  const bytes = Buffer.from(own.signature)
  const seconds = bytes.length > timeBytes ? Number(bytes.readBigUInt64BE(0)) : 0
  const signature = bytes.subarray(timeBytes)
  const isTime = seconds <= maxTimestampSeconds
  if (!isTime || !verify(null, cosignedBytes(note.text, seconds), key.publicKey, signature)) {
    throw new MalformedEvidence(`The cosignature of ${key.name} does not hold`)
  }
  return seconds
}

function cosignedBytes(text: string, seconds: number): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`)
}
