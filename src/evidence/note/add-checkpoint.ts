import { decodeBase64 } from '#domain/text/encoding/base64.ts'
import { hashBytesLong } from '../merkle/tree-hash.ts'
import { MalformedEvidence } from '../malformed-evidence.ts'
import { cosignedAt } from './cosignature.ts'
import type { NoteKey } from './note-key.ts'
import { formatSignature, parseNote } from './signed-note.ts'

/**
 * A log's request to a witness (C2SP tlog-witness): to cosign `note`, which continues the tree of
 * `old` events.
 */
export interface AddCheckpoint {
  readonly old: number
  /**
   * consistency proof from `old` to the note's checkpoint (RFC 6962 2.1.2); empty from 0 and
   * between equal sizes
   */
  readonly proof: readonly Uint8Array[]
  readonly note: string
}

/** The media type of the size that a witness cosigned last, in its answer with status 409. */
export const sizeContentType = 'text/x.tlog.size'
const maxProofLines = 63

/** The body of `POST …/add-checkpoint`. */
export function formatAddCheckpoint({ old, proof, note }: AddCheckpoint): string {
  const lines = proof.map((hash) => `${Buffer.from(hash).toString('base64')}\n`)
  return `old ${old}\n${lines.join('')}\n${note}`
}

/** Parses such a body. Throws `MalformedEvidence` with the problem. */
export function parseAddCheckpoint(body: string): AddCheckpoint {
  const gap = body.indexOf('\n\n')
  const [first = '', ...hashes] = body.slice(0, Math.max(gap, 0)).split('\n')
  const [, digits] = /^old (0|[1-9]\d*)$/.exec(first) ?? []
  if (digits === undefined || !Number.isSafeInteger(Number(digits))) {
    throw new MalformedEvidence('The first line is "old " and the size of the last checkpoint')
  }
  if (hashes.length > maxProofLines) {
    throw new MalformedEvidence(`A consistency proof has at most ${maxProofLines} lines`)
  }
  return { old: Number(digits), proof: hashes.map(parseHash), note: body.slice(gap + 2) }
}

/** The size in the body of a witness's 409; `null` when there is none. */
export function parseWitnessSize(body: string): number | null {
  const [, digits] = /^(0|[1-9]\d*)\n$/.exec(body) ?? []
  const size = Number(digits)
  return Number.isSafeInteger(size) ? size : null
}

/**
 * This witness's cosignature of the note, as one signature line, from its answer; other signatures
 * are ignored. Throws `MalformedEvidence` for an invalid answer, one without a signature of this
 * key, or one that does not hold for this note.
 */
export function cosignatureIn(
  answer: string,
  { note, key }: { readonly note: string; readonly key: NoteKey },
): { readonly line: string; readonly atSeconds: number } {
  const { text } = parseNote(note)
  const answered = parseNote(`${text}\n${answer}`)
  if (answered.text !== text) {
    throw new MalformedEvidence('A witness answers with signature lines and nothing else')
  }
  const own = answered.signatures.find((one) => one.name === key.name && one.keyId === key.keyId)
  const atSeconds = own === undefined ? null : cosignedAt({ text, signatures: [own] }, key)
  if (own === undefined || atSeconds === null) {
    throw new MalformedEvidence(`There is no cosignature of ${key.name}`)
  }
  return { line: formatSignature(own), atSeconds }
}

function parseHash(line: string): Buffer {
  const hash = decodeBase64(line)
  if (hash === null || hash.length !== hashBytesLong) {
    throw new MalformedEvidence('A line of a consistency proof is one hash in base64')
  }
  return hash
}
