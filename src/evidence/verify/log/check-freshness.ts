import { countWords } from '#domain/text/quantities/count-words.ts'
import type { Checkpoint } from '../../note/checkpoint.ts'
import { openLogCheckpoint, type LogKeys } from '../../note/log-keys.ts'
import { sentenceOf } from '../../malformed-evidence.ts'
import { checkWitnesses, type WitnessedEvidence } from './check-witnesses.ts'
import type { Findings } from '../findings/finding.ts'
import type { LoggedEvent } from '../findings/logged-event.ts'

/** Whether the older tree is the beginning of the newer one; `null`: the evidence is not enough. */
export type ContinuesFrom = (older: Checkpoint) => boolean | null

/**
 * Freshness: the newest event and time of the evidence, and that it continues an earlier checkpoint
 * (`since`), so that no earlier event was replaced.
 */
export function checkFreshness(
  findings: Findings,
  evidence: {
    readonly checkpoint: Checkpoint | null
    readonly newest: LoggedEvent | null
    readonly keys: LogKeys
    /** the required cosignatures; `null`: none */
    readonly witnessed: Pick<WitnessedEvidence, 'witnesses' | 'notes' | 'beyond'> | null
    readonly since: string | null
    readonly continuesFrom: ContinuesFrom
  },
): void {
  const { checkpoint, newest, keys, since, witnessed, continuesFrom } = evidence
  if (checkpoint === null) {
    findings.cannotJudge('there is no checkpoint that can be read')
    return
  }
  const until = newest === null ? '' : `; the newest event here is ${newest.index}, of ${newest.at}`
  findings.describe(`the checkpoint covers ${countWords(checkpoint.size, 'event')}${until}`)
  if (witnessed !== null) {
    const isBeginning = (one: Checkpoint): boolean => continuesFrom(one) === true
    checkWitnesses(findings, { ...witnessed, since, logKeys: keys, isBeginning })
  }
  if (since === null) {
    findings.describe('compare with an older checkpoint of yours: --since FILE')
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
      `the checkpoint that was kept covers ${countWords(older.size, 'event')}, and this one ${checkpoint.size}: the log was cut off`,
    )
    return
  }
  const continues = continuesFrom(older)
  if (continues === null) {
    findings.cannotJudge(`nothing here proves what follows the first ${older.size} events`)
  } else if (!continues) {
    findings.fail(`the first ${older.size} events are not those of the checkpoint that was kept`)
  } else findings.describe(`it continues the checkpoint of ${countWords(older.size, 'event')}`)
}
