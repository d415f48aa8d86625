import { MalformedEvidence } from '../malformed-evidence.ts'
import { formatVerifierKey, parseVerifierKey, type NoteKey } from './note-key.ts'
import { formatNote, isSignedBy, parseNote, signText, type NoteSigner } from './signed-note.ts'

/** The note's first line: a checkpoint begins with its log's name, never with this. */
const heading = 'countersign log key v1'
const unknown = 'unknown'

/** A new key of the log: `after` signs first the checkpoint of `size` events. */
export interface Handover {
  readonly size: number
  /** `null`: it is unknown */
  readonly before: NoteKey | null
  readonly after: NoteKey
  /** the previous key signed this too, so it was neither lost nor stolen */
  readonly isVouched: boolean
}

/** The replacement as a note. `before` signs it unless that key is lost or no longer trusted. */
export function formatHandover(
  handover: Pick<Handover, 'size' | 'before'>,
  signers: { readonly after: NoteSigner; readonly before: NoteSigner | null },
): string {
  const before = handover.before === null ? unknown : formatVerifierKey(handover.before)
  const { key } = signers.after
  const lines = [heading, key.name, String(handover.size), before, formatVerifierKey(key)]
  const text = lines.map((line) => `${line}\n`).join('')
  const signing = [signers.after, ...(signers.before === null ? [] : [signers.before])]
  return formatNote({ text, signatures: signing.map((signer) => signText(text, signer)) })
}

/** Parses a replacement that the new key signed. Throws `MalformedEvidence`. */
export function parseHandover(note: string): Handover {
  const signedNote = parseNote(note)
  const [first, name, size = '', before = '', after = '', ...more] = signedNote.text
    .trimEnd()
    .split('\n')
  if (first !== heading || more.length > 0 || !/^(0|[1-9]\d*)$/.test(size)) {
    throw new MalformedEvidence('A hand-over of the log names its log, a size and two keys')
  }
  const key = parseVerifierKey(after)
  const previous = before === unknown ? null : parseVerifierKey(before)
  if (key.name !== name || (previous !== null && previous.name !== name)) {
    throw new MalformedEvidence('The keys of a hand-over are of another log')
  }
  if (!isSignedBy(signedNote, key)) {
    throw new MalformedEvidence('A hand-over is not signed by the key that takes over')
  }
  const isVouched = previous !== null && isSignedBy(signedNote, previous)
  return { size: Number(size), before: previous, after: key, isVouched }
}
