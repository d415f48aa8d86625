import { createHash } from 'node:crypto'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { MalformedEvidence } from '../../malformed-evidence.ts'
import { parseCheckpoint, type Checkpoint } from '../../note/checkpoint.ts'
import { cosignedAt } from '../../note/cosignature.ts'
import { openLogCheckpoint, type LogKeys } from '../../note/log-keys.ts'
import type { NoteKey } from '../../note/note-key.ts'
import { parseNote } from '../../note/signed-note.ts'
import type { Findings } from '../findings/finding.ts'

/** The required witnesses, and how many of them suffice. */
export interface WitnessQuorum {
  readonly keys: readonly NoteKey[]
  readonly count: number
}

/** The checkpoints that witnesses may have cosigned. */
export interface WitnessedEvidence {
  readonly witnesses: WitnessQuorum
  /** an earlier checkpoint: a witness that cosigned it also covers its beginning */
  readonly since: string | null
  /** checkpoints of the evidence as notes, the largest first */
  readonly notes: readonly string[]
  readonly logKeys: LogKeys
  /** whether the tree of that checkpoint is the beginning of the evidence's own */
  readonly isBeginning: (checkpoint: Checkpoint) => boolean
  /** the evidence after so many events that a witness should have seen; `null`: none */
  readonly beyond: (size: number) => string | null
}

/**
 * Freshness: a witness saw this tree, and no other that does not continue it. With fewer than the
 * quorum it fails, with the reason for each. A key counts once, whatever its names.
 */
export function checkWitnesses(findings: Findings, evidence: WitnessedEvidence): void {
  const { witnesses } = evidence
  const answers = uniqueKeys(witnesses.keys).map((key) => ({ key, ...answerOf(key, evidence) }))
  const vouching = answers.filter(({ holds }) => holds).length
  const isMet = vouching >= witnesses.count
  for (const { key, holds, text } of answers) {
    const sentence = `${key.name} ${text}`
    if (holds || isMet) findings.describe(sentence)
    else findings.fail(sentence)
  }
  if (!isMet && witnesses.count > 1) {
    findings.fail(`it needs ${witnesses.count} witnesses, and has ${vouching}`)
  }
}

interface WitnessAnswer {
  readonly holds: boolean
  readonly text: string
}

function answerOf(key: NoteKey, evidence: WitnessedEvidence): WitnessAnswer {
  const { since, notes, beyond } = evidence
  const sinceCosignature = since === null ? null : findCosigned(since, key)
  if (sinceCosignature !== null && 'size' in sinceCosignature)
    return { holds: true, text: cosignedText(sinceCosignature) }
  let problem = sinceCosignature?.problem
  for (const note of notes) {
    const cosignature = findCosigned(note, key)
    if (cosignature === null) continue
    // Somebody changed that note: an older cosignature does not replace the one in it.
    if ('problem' in cosignature) return { holds: false, text: problem ?? cosignature.problem }
    if (!isOwn(note, evidence)) {
      problem ??= `cosigned a checkpoint of ${countWords(cosignature.size, 'event')} that this log does not continue`
      continue
    }
    const more = beyond(cosignature.size)
    if (more === null) return { holds: true, text: cosignedText(cosignature) }
    return { holds: false, text: `${cosignedText(cosignature)}: ${more}` }
  }
  const which = since === null ? 'the checkpoint' : 'the checkpoint that was kept, nor one of these'
  return { holds: false, text: problem ?? `did not cosign ${which}` }
}

function cosignedText({ size, atSeconds }: { size: number; atSeconds: number }): string {
  return `cosigned the checkpoint of ${countWords(size, 'event')} at ${new Date(atSeconds * 1000).toISOString()}`
}

function findCosigned(
  note: string,
  key: NoteKey,
): { size: number; atSeconds: number } | { problem: string } | null {
  // Parses only notes that have a line with the name of the key: there may be many thousands.
  if (!note.includes(`\n— ${key.name} `)) return null
  try {
    const signedNote = parseNote(note)
    const atSeconds = cosignedAt(signedNote, key)
    return atSeconds === null ? null : { size: parseCheckpoint(signedNote.text).size, atSeconds }
  } catch (error) {
    if (error instanceof MalformedEvidence)
      return { problem: `vouches for nothing: ${error.message}` }
    throw error
  }
}

function isOwn(note: string, { logKeys, isBeginning }: WitnessedEvidence): boolean {
  try {
    return isBeginning(openLogCheckpoint(note, logKeys))
  } catch (error) {
    if (error instanceof MalformedEvidence) return false
    throw error
  }
}

function uniqueKeys(keys: readonly NoteKey[]): NoteKey[] {
  const byKey = new Map(
    keys.map((key) => {
      const der = key.publicKey.export({ type: 'spki', format: 'der' })
      return [createHash('sha256').update(der).digest('hex'), key]
    }),
  )
  return [...byKey.values()]
}
