import { sentenceOf } from '../malformed-evidence.ts'
import { emptyTreeHash } from '../merkle/tree-hash.ts'
import type { AddCheckpoint } from './add-checkpoint.ts'
import { parseCheckpoint, type Checkpoint } from './checkpoint.ts'
import { openLogCheckpoint, type LogKeys } from './log-keys.ts'
import { formatSignature, parseNote, type NoteSigner } from './signed-note.ts'
import { witnessCheckpoint } from './witness-checkpoint.ts'

/** A witness's answer to a submission, by the status of C2SP tlog-witness. */
export type SubmissionAnswer =
  /** `note`: with the log's signature and the witness's, to be stored before `line` is sent */
  | {
      readonly status: 200
      readonly note: string
      readonly line: string
      readonly checkpoint: Checkpoint
    }
  /** `size`: of the last cosigned checkpoint; `isForked`: the log signed another such tree */
  | { readonly status: 409; readonly size: number; readonly isForked: boolean }
  | { readonly status: 400 | 403 | 404 | 422; readonly sentence: string }

/** The log's checkpoint of a submission, or the refusal of an unknown log. */
export function openSubmission(
  { old, note }: AddCheckpoint,
  log: LogKeys,
): { readonly checkpoint: Checkpoint } | Extract<SubmissionAnswer, { sentence: string }> {
  let unverified: Checkpoint
  try {
    unverified = parseCheckpoint(parseNote(note).text)
  } catch (error) {
    return { status: 400, sentence: sentenceOf(error) }
  }
  if (!log.keys.some(({ key }) => key.name === unverified.origin)) {
    return { status: 404, sentence: `This witness does not know ${unverified.origin}` }
  }
  try {
    const checkpoint = openLogCheckpoint(note, log)
    if (old <= checkpoint.size) return { checkpoint }
  } catch (error) {
    return { status: 403, sentence: sentenceOf(error) }
  }
  return { status: 400, sentence: `The old size ${old} is above that of the checkpoint` }
}

/**
 * Judges a submission by the last checkpoint that this witness cosigned (`null`: none), in the
 * order of C2SP tlog-witness. Pure: the caller stores the note of a 200 before it sends the line,
 * and handles one submission at a time.
 */
export function judgeSubmission(
  submission: AddCheckpoint,
  witness: {
    readonly log: LogKeys
    readonly last: Pick<Checkpoint, 'size' | 'root'> | null
    readonly signer: NoteSigner
    readonly atSeconds: number
  },
): SubmissionAnswer {
  const contents = openSubmission(submission, witness.log)
  if (!('checkpoint' in contents)) return contents
  const { old, note, proof } = submission
  const last = witness.last ?? { size: 0, root: emptyTreeHash() }
  if (old !== last.size) return { status: 409, size: last.size, isForked: false }
  if (old === contents.checkpoint.size && proof.length > 0) return unproven
  const { log, signer, atSeconds } = witness
  const witnessed = witnessCheckpoint({ log, last, note, proof, signer, atSeconds })
  if ('refusal' in witnessed) {
    return witnessed.refusal === 'forked'
      ? { status: 409, size: last.size, isForked: true }
      : unproven
  }
  const { checkpoint, cosignature } = witnessed
  return { status: 200, note: witnessed.note, line: formatSignature(cosignature), checkpoint }
}

const unproven = {
  status: 422,
  sentence: 'The proof does not show that this tree continues the last one',
} as const
