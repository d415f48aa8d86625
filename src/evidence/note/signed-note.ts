import { sign, verify, type KeyObject } from 'node:crypto'
import { decodeBase64 } from '#domain/text/encoding/base64.ts'
import { MalformedEvidence } from '../malformed-evidence.ts'
import { isKeyName, type NoteKey } from './note-key.ts'

/** One signature line. `signature` is what follows the key's id. */
export interface NoteSignature {
  readonly name: string
  readonly keyId: number
  readonly signature: Uint8Array
}

/** A text that ends in a line end, and its signatures, which are not verified yet. */
export interface SignedNote {
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

const maxNoteLength = 1_000_000
const maxSignatures = 100

/** Parses a signed note (C2SP signed-note). Throws `MalformedEvidence` with the problem. */
export function parseNote(note: string): SignedNote {
  if (note.length > maxNoteLength)
    throw new MalformedEvidence(`A note has over ${maxNoteLength} bytes`)
  if (!note.isWellFormed() || /[^\P{Cc}\n]/u.test(note)) {
    throw new MalformedEvidence('A note has characters that it must not have')
  }
  const gap = note.lastIndexOf('\n\n')
  const lines = note.slice(gap + 2).split('\n')
  if (gap < 1 || lines.pop() !== '' || lines.length === 0) {
    throw new MalformedEvidence('A note is a text, an empty line and at least one signature')
  }
  if (lines.length > maxSignatures) {
    throw new MalformedEvidence(`A note has over ${maxSignatures} signatures`)
  }
  return { text: note.slice(0, gap + 1), signatures: lines.map(parseSignature) }
}

/** The note as text: the signed text, an empty line, the signatures. */
export function formatNote({ text, signatures }: SignedNote): string {
  return `${text}\n${signatures.map(formatSignature).join('')}`
}

/** One signature line with its line end, to append to a note. */
export function formatSignature({ name, keyId, signature }: NoteSignature): string {
  const id = Buffer.alloc(4)
  id.writeUInt32BE(keyId)
  return `— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`
}

/** A key with its private half, which can sign notes. */
export interface NoteSigner {
  readonly key: NoteKey
  readonly privateKey: KeyObject
}

/** Signs a text that ends in a line end. */
export function signText(text: string, { key, privateKey }: NoteSigner): NoteSignature {
  if (!text.endsWith('\n')) throw new RangeError('A note ends in a line end')
  return { name: key.name, keyId: key.keyId, signature: sign(null, Buffer.from(text), privateKey) }
}

/**
 * Whether the note has a valid signature of this key. False without one; throws `MalformedEvidence`
 * for an invalid one, as C2SP signed-note requires.
 */
export function isSignedBy(note: SignedNote, key: NoteKey): boolean {
  const own = note.signatures.find(({ name, keyId }) => name === key.name && keyId === key.keyId)
  if (own === undefined || key.algorithm !== 'ed25519') return false
  if (!verify(null, Buffer.from(note.text), key.publicKey, own.signature)) {
    throw new MalformedEvidence(`The signature of ${key.name} does not hold`)
  }
  return true
}

function parseSignature(line: string): NoteSignature {
  const [, name = '', base64 = ''] = /^— (\S+) (\S+)$/u.exec(line) ?? []
  const bytes = decodeBase64(base64)
  if (!isKeyName(name) || bytes === null || bytes.length < 5) {
    throw new MalformedEvidence('A signature of a note is "— name base64"')
  }
  return { name, keyId: bytes.readUInt32BE(0), signature: bytes.subarray(4) }
}
