import { decodeBase64 } from '#domain/text/encoding/base64.ts'
import { hashBytesLong } from '../merkle/tree-hash.ts'
import { MalformedEvidence } from '../malformed-evidence.ts'
import type { NoteKey } from './note-key.ts'
import { isSignedBy, parseNote } from './signed-note.ts'

/** A tree at one size (C2SP tlog-checkpoint). `origin`: the log; `extensions`: more lines. */
export interface Checkpoint {
  readonly origin: string
  readonly size: number
  readonly root: Uint8Array
  readonly extensions: readonly string[]
}

/** The text to sign. Throws `MalformedEvidence` for an invalid line. */
export function formatCheckpoint({ origin, size, root, extensions }: Checkpoint): string {
  const lines = [origin, String(size), Buffer.from(root).toString('base64'), ...extensions]
  if (lines.some((line) => line === '' || /\p{Cc}/u.test(line))) {
    throw new MalformedEvidence('A line of a checkpoint is empty or has control characters')
  }
  return lines.map((line) => `${line}\n`).join('')
}

/** Parses a checkpoint's text. Throws `MalformedEvidence` with the problem. */
export function parseCheckpoint(text: string): Checkpoint {
  const lines = text.split('\n')
  if (lines.pop() !== '' || lines.includes('')) {
    throw new MalformedEvidence('A checkpoint has no empty line, and ends in a line end')
  }
  const [origin, size = '', root = '', ...extensions] = lines
  const hash = decodeBase64(root)
  if (origin === undefined) throw new MalformedEvidence('A checkpoint begins with its origin')
  if (!/^(0|[1-9]\d*)$/.test(size) || !Number.isSafeInteger(Number(size))) {
    throw new MalformedEvidence(`A checkpoint's second line is the size of its tree, not "${size}"`)
  }
  if (hash === null || hash.length !== hashBytesLong) {
    throw new MalformedEvidence(`A checkpoint's third line is the root of its tree in base64`)
  }
  return { origin, size: Number(size), root: hash, extensions }
}

/**
 * The checkpoint of a signed note. Throws `MalformedEvidence` unless the log's key signed it, and
 * its origin is that key's name.
 */
export function openCheckpoint(note: string, key: NoteKey): Checkpoint {
  const signedNote = parseNote(note)
  if (!isSignedBy(signedNote, key)) {
    throw new MalformedEvidence(`The checkpoint is not signed by ${key.name}`)
  }
  const checkpoint = parseCheckpoint(signedNote.text)
  if (checkpoint.origin !== key.name) {
    throw new MalformedEvidence(`The checkpoint is of ${checkpoint.origin}, not of ${key.name}`)
  }
  return checkpoint
}
