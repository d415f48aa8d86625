import { MalformedEvidence } from '../malformed-evidence.ts'
import { openCheckpoint, type Checkpoint } from './checkpoint.ts'
import { parseHandover, type Handover } from './handover.ts'
import { formatVerifierKey, type NoteKey } from './note-key.ts'

/**
 * A key of a log. `until`: another one replaced it with the checkpoint of that many events, and it
 * signs none above.
 */
export interface LogKey {
  readonly key: NoteKey
  readonly until: number | null
}

/** The trusted keys, and replacements without a signature of a trusted key. */
export interface LogKeys {
  readonly keys: readonly LogKey[]
  readonly unvouched: readonly Handover[]
}

/**
 * The keys of a log for somebody who has one of them: its successors, and its predecessors. A
 * replacement without the signature of the previous key leads from the new key back, but not from
 * the old one on.
 */
export function logKeysOf(startKey: NoteKey, handovers: readonly Handover[]): LogKeys {
  const keys = new Map<string, LogKey>([
    [formatVerifierKey(startKey), { key: startKey, until: null }],
  ])
  const accepted = new Set<Handover>()
  for (let before = -1; before !== accepted.size;) {
    before = accepted.size
    for (const handover of handovers) {
      if (accepted.has(handover) || !isAccepted(keys, handover)) continue
      accepted.add(handover)
      const next = formatVerifierKey(handover.after)
      if (!keys.has(next)) keys.set(next, { key: handover.after, until: null })
      if (handover.before === null) continue
      keys.set(formatVerifierKey(handover.before), { key: handover.before, until: handover.size })
    }
  }
  const unvouched = handovers.filter((handover) => !accepted.has(handover))
  return { keys: [...keys.values()], unvouched }
}

function isAccepted(
  keys: ReadonlyMap<string, LogKey>,
  { before, after, isVouched }: Handover,
): boolean {
  if (keys.has(formatVerifierKey(after))) return true
  return isVouched && before !== null && keys.has(formatVerifierKey(before))
}

/** Parses stored replacements. Throws `MalformedEvidence` for an invalid one. */
export function parseHandovers(notes: readonly string[]): Handover[] {
  return notes.map(parseHandover)
}

/**
 * The checkpoint of a signed note, by the trusted keys. Throws `MalformedEvidence` unless one of
 * them signed it while it was the log's.
 */
export function openLogCheckpoint(note: string, { keys, unvouched }: LogKeys): Checkpoint {
  let firstError: unknown = null
  let replaced: LogKey | null = null
  for (const one of keys) {
    try {
      const checkpoint = openCheckpoint(note, one.key)
      if (one.until === null || checkpoint.size <= one.until) return checkpoint
      replaced = one
    } catch (error) {
      if (!(error instanceof MalformedEvidence)) throw error
      firstError ??= error
    }
  }
  const other = unvouched.at(-1)
  if (replaced !== null) {
    const until = `another key had replaced it with the checkpoint of ${replaced.until} events`
    throw new MalformedEvidence(
      `The checkpoint is signed by ${formatVerifierKey(replaced.key)}, and ${until}`,
    )
  }
  if (other !== undefined && isSigned(note, other.after)) {
    throw new MalformedEvidence(
      `The checkpoint is signed by ${formatVerifierKey(other.after)}, which took over at ${other.size} events without the ` +
        'signature of the key before: lost, or in other hands. Verify with that key once the operator has told you so',
    )
  }
  throw firstError ?? new MalformedEvidence('There is no key to verify the checkpoint with')
}

function isSigned(note: string, key: NoteKey): boolean {
  try {
    openCheckpoint(note, key)
    return true
  } catch {
    return false
  }
}
