import { isSameHash } from '../merkle/tree-hash.ts'
import { verifyConsistency } from '../merkle/consistency-proof.ts'
import type { Checkpoint } from './checkpoint.ts'
import { cosign } from './cosignature.ts'
import { openLogCheckpoint, type LogKeys } from './log-keys.ts'
import { formatNote, parseNote, type NoteSignature, type NoteSigner } from './signed-note.ts'

/** Why a witness does not cosign: `forked` is the proof that the log signed two histories. */
export type WitnessRefusal = 'behind' | 'forked' | 'unproven'

/** The note with the log's signatures and the witness's, or why there is none. */
export type CosignOutcome =
  | {
      readonly note: string
      readonly cosignature: NoteSignature
      readonly checkpoint: Checkpoint
    }
  | { readonly refusal: WitnessRefusal; readonly checkpoint: Checkpoint }

/**
 * Cosigns a checkpoint that continues the last one this witness has seen (C2SP tlog-witness).
 * `last`: that one; `null` at first. Throws `MalformedEvidence` unless the log's key signed the
 * note.
 */
export function witnessCheckpoint(input: {
  readonly log: LogKeys
  readonly last: Pick<Checkpoint, 'size' | 'root'> | null
  readonly note: string
  /** from the last checkpoint to this one; empty at first */
  readonly proof: readonly Uint8Array[]
  readonly signer: NoteSigner
  readonly atSeconds: number
}): CosignOutcome {
  const { log, last, note, proof, signer, atSeconds } = input
  const checkpoint = openLogCheckpoint(note, log)
  const refusal = last === null ? null : refusalOf(last, checkpoint, proof)
  if (refusal !== null) return { refusal, checkpoint }
  const { text, signatures } = parseNote(note)
  const cosignature = cosign(text, signer, atSeconds)
  // Other parties' signatures are not stored.
  const logSignatures = signatures.filter(({ name, keyId }) =>
    log.keys.some(({ key }) => key.name === name && key.keyId === keyId),
  )
  return {
    note: formatNote({ text, signatures: [...logSignatures, cosignature] }),
    cosignature,
    checkpoint,
  }
}

function refusalOf(
  last: Pick<Checkpoint, 'size' | 'root'>,
  { size, root }: Checkpoint,
  proof: readonly Uint8Array[],
): WitnessRefusal | null {
  if (size < last.size) return 'behind'
  if (size === last.size) return isSameHash(root, last.root) ? null : 'forked'
  const consistency = { from: last.size, fromRoot: last.root, size, root, proof }
  return verifyConsistency(consistency) ? null : 'unproven'
}
