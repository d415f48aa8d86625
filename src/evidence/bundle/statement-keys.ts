import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Verifier } from '../../domain/statement-bytes.ts'
import { MalformedEvidence } from '../malformed.ts'
import type { NoteKey } from '../note/note-key.ts'
import {
  formatNote,
  isSignedBy,
  parseNote,
  signText,
  type NoteSigner,
} from '../note/signed-note.ts'

/** What such a note begins with: it can never pass for a checkpoint, which begins with its log's name. */
const heading = 'countersign statement keys v1'

/**
 * The public keys of the installation's statements as a note that the log's key signs: whoever has the log's key needs
 * no other. A line is the key's id and its SubjectPublicKeyInfo in base64.
 */
export function formatStatementKeys(verifier: Verifier, signer: NoteSigner): string {
  const lines = [...verifier.publicKeys]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, key]) => `${id} ${key.export({ type: 'spki', format: 'der' }).toString('base64')}`)
  const text = [heading, signer.key.name, ...lines].map((line) => `${line}\n`).join('')
  return formatNote({ text, signatures: [signText(text, signer)] })
}

/** The keys of such a note. Throws `MalformedEvidence` unless the log's key signed it for its own log. */
export function openStatementKeys(note: string, key: NoteKey): Verifier {
  const signed = parseNote(note)
  if (!isSignedBy(signed, key)) {
    throw new MalformedEvidence(`The statement keys are not signed by ${key.name}`)
  }
  const [first, origin, ...lines] = signed.text.trimEnd().split('\n')
  if (first !== heading || origin !== key.name) {
    throw new MalformedEvidence(`The statement keys are not those of ${key.name}`)
  }
  const publicKeys = new Map<string, KeyObject>()
  for (const line of lines) {
    const [id = '', base64 = ''] = line.split(' ')
    publicKeys.set(id, readKey(base64))
  }
  return { publicKeys }
}

function readKey(base64: string): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })
  } catch {
    throw new MalformedEvidence('A statement key is no public key')
  }
}
