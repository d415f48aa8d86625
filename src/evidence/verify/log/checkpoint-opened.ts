import { sentenceOf } from '../../malformed-evidence.ts'
import { parseCheckpoint, type Checkpoint } from '../../note/checkpoint.ts'
import { openLogCheckpoint, type LogKeys } from '../../note/log-keys.ts'
import { parseNote } from '../../note/signed-note.ts'
import type { Findings } from '../findings/finding.ts'

/**
 * The largest tree that is judged for a checkpoint without a valid signature: its leaves take half
 * a gigabyte. Anybody could write a size for which no machine has memory.
 */
const maxUnsignedSize = 2 ** 24

/**
 * The checkpoint of a note. If its signature does not hold, the verdict fails, and the rest is
 * still judged against it; `null` when it cannot be parsed, or is for too large a tree.
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
    const checkpoint = parseCheckpoint(parseNote(note).text)
    return checkpoint.size > maxUnsignedSize ? null : checkpoint
  } catch {
    return null
  }
}
