import { parseCheckpoint, type Checkpoint } from '../../note/checkpoint.ts'
import { cosignedAt } from '../../note/cosignature.ts'
import { openLogCheckpoint, type LogKeys } from '../../note/log-keys.ts'
import type { NoteKey } from '../../note/note-key.ts'
import { parseNote } from '../../note/signed-note.ts'
import { sentenceOf } from './checkpoint-opened.ts'
import type { Findings } from '../finding.ts'
import type { LoggedEvent } from '../logged-event.ts'

/** Whether the older tree is the beginning of the newer one; `null`: it cannot be judged from what is given. */
export type ContinuesFrom = (older: Checkpoint) => boolean | null

/**
 * Freshness: up to which event and time the evidence reaches, and that it continues the log whose checkpoint somebody
 * kept (`since`), so that nothing from before was replaced.
 */
export function checkFreshness(
  findings: Findings,
  evidence: {
    readonly checkpoint: Checkpoint | null
    readonly newest: LoggedEvent | null
    readonly keys: LogKeys
    /** the checkpoint as a note; `null`: there is none */
    readonly note: string | null
    /** whoever shall have cosigned the checkpoint that was kept, or else this one; `null`: nobody need have */
    readonly witness: NoteKey | null
    readonly since: string | null
    readonly continuesFrom: ContinuesFrom
  },
): void {
  const { checkpoint, newest, keys, since, witness } = evidence
  if (checkpoint === null) {
    findings.cannotJudge('there is no checkpoint that can be read')
    return
  }
  const until = newest === null ? '' : `; the newest event here is ${newest.index}, of ${newest.at}`
  findings.note(`the checkpoint covers ${checkpoint.size} events${until}`)
  if (witness !== null) checkWitness(findings, since ?? evidence.note, witness)
  if (since === null) {
    findings.note('compare with a checkpoint that you kept: --since FILE')
    return
  }
  let older: Checkpoint
  try {
    older = openLogCheckpoint(since, keys)
  } catch (error) {
    findings.fail(`the checkpoint that was kept: ${sentenceOf(error)}`)
    return
  }
  if (older.size > checkpoint.size) {
    findings.fail(
      `the checkpoint that was kept covers ${older.size} events, and this one ${checkpoint.size}: the log was cut off`,
    )
    return
  }
  const continues = evidence.continuesFrom(older)
  if (continues === null) {
    findings.cannotJudge(`nothing here proves what follows the first ${older.size} events`)
  } else if (!continues) {
    findings.fail(`the first ${older.size} events are not those of the checkpoint that was kept`)
  } else findings.note(`it continues the checkpoint of ${older.size} events`)
}

/** Somebody outside of the building saw this tree, and none that does not go on from it. */
function checkWitness(findings: Findings, note: string | null, witness: NoteKey): void {
  try {
    const seconds = note === null ? null : cosignedAt(parseNote(note), witness)
    if (note !== null && seconds !== null) {
      const { size } = parseCheckpoint(parseNote(note).text)
      const at = new Date(seconds * 1000).toISOString()
      findings.note(`${witness.name} cosigned the checkpoint of ${size} events at ${at}`)
    } else findings.fail(`${witness.name} did not cosign the checkpoint that was kept`)
  } catch (error) {
    findings.fail(sentenceOf(error))
  }
}
