import { sentenceOf } from '../../malformed-evidence.ts'
import { parseCheckpoint, type Checkpoint } from '../../note/checkpoint.ts'
import { openLogCheckpoint, type LogKeys } from '../../note/log-keys.ts'
import { parseNote } from '../../note/signed-note.ts'
import type { Findings } from '../findings/finding.ts'

/**
 * The checkpoint of a note. If its signature does not hold, the verdict fails, and the rest is
 * still judged against it; `null` when it cannot be parsed.
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
