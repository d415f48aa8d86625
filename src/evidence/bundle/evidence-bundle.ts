import { whyAmbiguous } from '#domain/json/ambiguous-json.ts'
import { decodeBase64 } from '#domain/text/encoding/base64.ts'
import { MalformedEvidence } from '../malformed-evidence.ts'
import { hashBytesLong } from '../merkle/tree-hash.ts'
import type { StoredStatement } from './statements.ts'
import { asStatement } from './log-files.ts'

export const bundleFormat = 'countersign-evidence-bundle/v1'

/** An event of the log: its bytes as text, its index, and the hashes to the root (base64). */
export interface BundledEvent {
  readonly index: number
  readonly event: string
  readonly proof: readonly string[]
}

/** A text that an event commits to: the salted document of its hash (audit.md, Form). */
export interface RevealedText {
  readonly hash: string
  readonly document: string
}

/** A checkpoint that witnesses cosigned, and the proof that the bundle's own continues it. */
export interface WitnessedCheckpoint {
  /** its size */
  readonly from: number
  /** a note with the log's signature and theirs */
  readonly checkpoint: string
  readonly proof: readonly string[]
}

/** The evidence about one request, in one JSON document that the log's key alone verifies. */
export interface EvidenceBundle {
  readonly format: typeof bundleFormat
  /** the request it was made for */
  readonly requestId: string
  /** the requests whose events are all here: that one, and the others about the same call */
  readonly requestIds: readonly string[]
  /** C2SP tlog-checkpoint, signed by the log's key */
  readonly checkpoint: string
  /** the keys of the statements, signed by the log's key */
  readonly keys: string
  /** notes by which the log's keys replaced each other, oldest first; absent: there was one key */
  readonly handovers?: readonly string[]
  /** in the log's order */
  readonly events: readonly BundledEvent[]
  readonly statements: readonly StoredStatement[]
  readonly revealed: readonly RevealedText[]
  /** that the tree continues the one of `from` events, for somebody who has its checkpoint */
  readonly consistency?: { readonly from: number; readonly proof: readonly string[] }
  /** each witness's newest before the checkpoint, the largest first; absent: none */
  readonly witnessed?: readonly WitnessedCheckpoint[]
}

/** Reads a bundle. Throws `MalformedEvidence` with what is wrong with its form. */
export function parseBundle(text: string): EvidenceBundle {
  let value: Partial<Record<keyof EvidenceBundle, unknown>> | null
  try {
    value = JSON.parse(text) as typeof value
  } catch {
    throw new MalformedEvidence('A bundle is one JSON document')
  }
  // Every parser of the bundle must read what was verified.
  const why = whyAmbiguous(text)
  if (why !== null)
    throw new MalformedEvidence(`A bundle must mean the same to every reader: ${why}`)
  if (value === null || typeof value !== 'object' || value.format !== bundleFormat) {
    throw new MalformedEvidence(`A bundle's format is "${bundleFormat}"`)
  }
  const { requestId, checkpoint, keys, consistency, handovers, witnessed } = value
  if (typeof requestId !== 'string' || typeof checkpoint !== 'string' || typeof keys !== 'string') {
    throw new MalformedEvidence('A bundle has a requestId, a checkpoint and keys')
  }
  return {
    format: bundleFormat,
    requestId,
    requestIds: textsOf(value.requestIds),
    checkpoint,
    keys,
    ...(handovers === undefined ? {} : { handovers: textsOf(handovers) }),
    events: listOf(value.events, 'events', readEvent),
    statements: listOf(value.statements, 'statements', (one) =>
      asStatement(one as StoredStatement),
    ),
    revealed: listOf(value.revealed, 'revealed', readRevealed),
    ...(consistency === undefined ? {} : { consistency: readConsistency(consistency) }),
    ...(witnessed === undefined
      ? {}
      : { witnessed: listOf(witnessed, 'checkpoints', readWitnessed) }),
  }
}

/** Hashes in base64, which {@link parseBundle} has checked, as bytes. */
export function hashesOf(proof: readonly string[]): Buffer[] {
  return proof.map((hash) => Buffer.from(hash, 'base64'))
}

function readEvent(one: unknown): BundledEvent {
  const { index, event, proof } = one as BundledEvent
  if (!Number.isSafeInteger(index) || typeof event !== 'string') {
    throw new MalformedEvidence('An event of a bundle has an index, its bytes and a proof')
  }
  return { index, event, proof: proofOf(proof) }
}

function readRevealed(one: unknown): RevealedText {
  const { hash, document } = one as RevealedText
  if (typeof hash !== 'string' || typeof document !== 'string') {
    throw new MalformedEvidence('What is revealed has a hash and a document')
  }
  return { hash, document }
}

function readConsistency(value: unknown): { from: number; proof: string[] } {
  const { from, proof } = (value ?? {}) as { from?: unknown; proof?: unknown }
  if (!Number.isSafeInteger(from)) throw new MalformedEvidence('A consistency proof has a size')
  return { from: Number(from), proof: proofOf(proof) }
}

function readWitnessed(one: unknown): WitnessedCheckpoint {
  const { checkpoint } = one as { checkpoint: unknown }
  if (typeof checkpoint !== 'string') throw new MalformedEvidence('A witness cosigns a checkpoint')
  return { ...readConsistency(one), checkpoint }
}

function listOf<T>(value: unknown, name: string, read: (one: unknown) => T): T[] {
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'object' || one === null)) {
    throw new MalformedEvidence(`A bundle has a list of ${name}`)
  }
  return value.map(read)
}

function proofOf(value: unknown): string[] {
  const hashes = textsOf(value)
  if (hashes.every((hash) => decodeBase64(hash)?.length === hashBytesLong)) return hashes
  throw new MalformedEvidence('A proof in a bundle is a list of hashes in base64')
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
  throw new MalformedEvidence('A list of texts is missing in the bundle')
}
