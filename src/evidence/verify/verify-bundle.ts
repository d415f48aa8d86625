import { hashBytes } from '#domain/json/digest.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { hashesOf, type EvidenceBundle } from '../bundle/evidence-bundle.ts'
import { openStatementKeys } from '../bundle/statement-keys.ts'
import { sentenceOf } from '../malformed-evidence.ts'
import { verifyConsistency } from '../merkle/consistency-proof.ts'
import { verifyInclusion } from '../merkle/inclusion-proof.ts'
import { leafHash } from '../merkle/tree-hash.ts'
import type { Checkpoint } from '../note/checkpoint.ts'
import { logKeysOf, parseHandovers, type LogKeys } from '../note/log-keys.ts'
import type { NoteKey } from '../note/note-key.ts'
import { checkFreshness } from './log/check-freshness.ts'
import type { WitnessQuorum } from './log/check-witnesses.ts'
import { openedCheckpoint } from './log/checkpoint-opened.ts'
import type { Findings, Verdict } from './findings/finding.ts'
import { EventJudge, openFindings, verdictsOf } from './judge-events.ts'
import type { Statements } from '../bundle/statements.ts'

/**
 * Verifies an evidence bundle with the log's key alone: every verdict of audit.md, for one request.
 * `since`: an earlier checkpoint; `witnesses`: the required witnesses of it, or of a tree with
 * every event of the bundle. Never throws on hostile input.
 */
export function verifyBundle(
  bundle: EvidenceBundle,
  key: NoteKey,
  since: string | null,
  witnesses?: WitnessQuorum,
): Verdict[] {
  const findings = openFindings()
  const keys = keysOfLog(bundle, key, findings.authenticity)
  const checkpoint = openedCheckpoint(bundle.checkpoint, keys, findings.authenticity)
  const requestIds = new Set([bundle.requestId, ...bundle.requestIds])
  const statements = {
    stored: bundle.statements,
    verifier: keysOf(bundle, keys, findings.authenticity),
  }
  const judge = new EventJudge(findings, { isWhole: false, requestIds }, statements)
  checkInclusion(findings.integrity, bundle, checkpoint)
  for (const { index, event } of bundle.events) judge.take(index, event)
  judge.end()
  checkRevealed(findings.integrity, bundle)
  checkFreshness(findings.freshness, {
    checkpoint,
    newest: judge.newest,
    keys,
    witnessed: witnesses === undefined ? null : { witnesses, ...witnessedBundle(bundle) },
    since,
    continuesFrom: (older) => continues(bundle, checkpoint, older),
  })
  return verdictsOf(findings)
}

/** Checkpoints for witnesses: the bundle's own, and smaller ones that it continues. */
function witnessedBundle({ checkpoint, witnessed = [], events }: EvidenceBundle) {
  const last = events.reduce((max, { index }) => Math.max(max, index), -1)
  return {
    notes: [checkpoint, ...witnessed.map((one) => one.checkpoint)],
    beyond: (size: number): string | null =>
      last < size ? null : `it did not see event ${last} of the bundle`,
  }
}

/** Every event is in the signed tree, at its index, and they are in the log's order. */
function checkInclusion(
  findings: Findings,
  { events }: EvidenceBundle,
  checkpoint: Checkpoint | null,
): void {
  if (checkpoint === null) {
    findings.cannotJudge('there is no checkpoint to compare the events with')
    return
  }
  let before = -1
  for (const { index, event, proof } of events) {
    const at = { event: { index } }
    if (index <= before) findings.fail(`the event comes after event ${before}`, at)
    before = index
    const { size, root } = checkpoint
    const claim = { index, size, root, leaf: leafHash(event), proof: hashesOf(proof) }
    if (!verifyInclusion(claim)) findings.fail('the signed tree does not have these bytes here', at)
  }
  findings.describe(
    `${countWords(events.length, 'event')} in the signed tree of ${checkpoint.size}`,
  )
}

/** The revealed texts are those that the events committed to. */
function checkRevealed(findings: Findings, { revealed, events }: EvidenceBundle): void {
  for (const { hash, document } of revealed) {
    if (hashBytes(document) !== hash) {
      findings.fail(`the words revealed for ${hash} are not those that it is the hash of`)
    } else if (!events.some(({ event }) => event.includes(`"${hash}"`))) {
      findings.fail(`no event commits to the words revealed for ${hash}`)
    }
  }
  if (revealed.length > 0)
    findings.describe(`${countWords(revealed.length, 'revealed text')} as committed to`)
}

function keysOfLog(
  { handovers = [] }: EvidenceBundle,
  key: NoteKey,
  authenticity: Findings,
): LogKeys {
  try {
    return logKeysOf(key, parseHandovers(handovers))
  } catch (error) {
    authenticity.fail(sentenceOf(error))
    return logKeysOf(key, [])
  }
}

function keysOf(
  { keys }: EvidenceBundle,
  logKeys: LogKeys,
  authenticity: Findings,
): Statements['verifier'] {
  try {
    return openStatementKeys(keys, logKeys)
  } catch (error) {
    authenticity.fail(sentenceOf(error))
    return null
  }
}

function continues(
  { consistency, witnessed }: EvidenceBundle,
  checkpoint: Checkpoint | null,
  older: Checkpoint,
): boolean | null {
  if (checkpoint === null) return null
  const proof =
    consistency?.from === older.size
      ? consistency.proof
      : (witnessed?.find(({ from }) => from === older.size)?.proof ?? null)
  // For the same size, and for the empty tree, the proof is empty.
  if (proof === null && older.size !== checkpoint.size && older.size !== 0) return null
  return verifyConsistency({
    from: older.size,
    fromRoot: older.root,
    size: checkpoint.size,
    root: checkpoint.root,
    proof: hashesOf(proof ?? []),
  })
}
