import { MalformedEvidence } from '../../malformed.ts'
import { parseCheckpoint, type Checkpoint } from '../../note/checkpoint.ts'
import { openLogCheckpoint, type LogKeys } from '../../note/log-keys.ts'
import { parseNote } from '../../note/signed-note.ts'
import type { Findings } from '../findings/finding.ts'

/**
 * The checkpoint of a note. One whose signature does not hold fails the verdict, and is still read,
 * so that the rest can be judged against what it says; `null` when it cannot even be read.
 */
export function openedCheckpoint(
  note: string,
  keys: LogKeys,
  authenticity: Findings,
): Checkpoint | null {
  try {
    return openLogCheckpoint(note, keys)
  } catch (error) {
    authenticity.fail(sentenceOf(error))
  }
  try {
    return parseCheckpoint(parseNote(note).text)
  } catch {
    return null
  }
}

/**
 * The sentence of evidence that cannot be read. Anything else that is thrown is a defect of ours.
 */
export function sentenceOf(error: unknown): string {
  if (error instanceof MalformedEvidence || error instanceof SyntaxError) return error.message
  throw error
}
