import { createPublicKey, type KeyObject } from 'node:crypto'
import type { RetiredKey, Verifier } from '#domain/statements/statement-bytes.ts'
import { MalformedEvidence } from '../malformed-evidence.ts'
import type { LogKeys } from '../note/log-keys.ts'
import {
  formatNote,
  isSignedBy,
  parseNote,
  signText,
  type NoteSigner,
} from '../note/signed-note.ts'

/** The note's first line: a checkpoint begins with its log's name, never with this. */
const heading = 'countersign statement keys v1'

/**
 * The public keys of the installation's statements as a note that the log's key signs, so that the
 * log's key is enough. A line has the key's id and its SubjectPublicKeyInfo in base64; that of a
 * retired key also the word and the time.
 */
export function formatStatementKeys(verifier: Verifier, signer: NoteSigner): string {
  const { publicKeys, retired } = verifier
  const lines = [
    ...[...publicKeys].map(([id, key]) => `${id} ${inBase64(key)}`),
    ...[...(retired ?? [])].map(([id, key]) =>
      `${id} ${inBase64(key.publicKey)} retired ${key.at}`.trimEnd(),
    ),
  ].toSorted()
  const text = [heading, signer.key.name, ...lines].map((line) => `${line}\n`).join('')
  return formatNote({ text, signatures: [signText(text, signer)] })
}

/**
 * The keys of such a note; retired ones are in both lists, since they signed older statements.
 * Throws `MalformedEvidence` unless the log's key signed it for its own log.
 */
export function openStatementKeys(note: string, { keys }: LogKeys): Verifier {
  const signedNote = parseNote(note)
  const name = keys[0]?.key.name
  if (!keys.some(({ key }) => isSignedBy(signedNote, key))) {
    throw new MalformedEvidence(`The statement keys are not signed by ${name}`)
  }
  const [first, origin, ...lines] = signedNote.text.trimEnd().split('\n')
  if (first !== heading || origin !== name) {
    throw new MalformedEvidence(`The statement keys are not those of ${name}`)
  }
  const publicKeys = new Map<string, KeyObject>()
  const retired = new Map<string, RetiredKey>()
  for (const line of lines) {
    const [id = '', base64 = '', word, at = ''] = line.split(' ')
    const publicKey = readKey(base64)
    publicKeys.set(id, publicKey)
    if (word === 'retired') retired.set(id, { publicKey, at })
  }
  return { publicKeys, retired }
}

function inBase64(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).toString('base64')
}

function readKey(base64: string): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })
  } catch {
    throw new MalformedEvidence('A statement key is not a public key')
  }
}
