import { countWords } from '#domain/text/quantities/count-words.ts'
import {
  logFileNames,
  logPartNames,
  readLogLines,
  readStatements,
  readTexts,
  textOf,
  type LogFiles,
  type UncoveredEvent,
} from '../bundle/log-files.ts'
import { openStatementKeys } from '../bundle/statement-keys.ts'
import { sentenceOf } from '../malformed-evidence.ts'
import { hashBytesLong, isSameHash, leafHash } from '../merkle/tree-hash.ts'
import { rangeHash } from '../merkle/tree-range.ts'
import type { Checkpoint } from '../note/checkpoint.ts'
import { logKeysOf, parseHandovers, type LogKeys } from '../note/log-keys.ts'
import type { NoteKey } from '../note/note-key.ts'
import { decodeEntries } from '../tiles/entry-bundle.ts'
import { entriesPath, tileWidth } from '../tiles/tile-path.ts'
import { checkFreshness } from './log/check-freshness.ts'
import { checkTree } from './log/check-tree.ts'
import type { WitnessQuorum } from './log/check-witnesses.ts'
import { openedCheckpoint } from './log/checkpoint-opened.ts'
import { witnessedLog } from './log/witnessed-log.ts'
import { CompactTree } from './log/compact-tree.ts'
import type { Findings, Verdict } from './findings/finding.ts'
import { EventJudge, openFindings, verdictsOf, type AllFindings } from './judge-events.ts'
import { readEvent, referenceTo } from './findings/logged-event.ts'
import type { Statements } from '../bundle/statements.ts'

/** How much older than the newest covered event one may be that is not covered. */
const coveredWithinMs = 60_000

/**
 * Verifies a full export with the log's key alone: every verdict of audit.md. `since`: an earlier
 * checkpoint; `witnesses`: the required witnesses of it, or of everything except the last minutes.
 * Never throws on hostile input: a part that cannot be read fails the verdict that needs it.
 */
export function verifyLog(
  files: LogFiles,
  key: NoteKey,
  since: string | null,
  witnesses?: WitnessQuorum,
): Verdict[] {
  const findings = openFindings()
  const keys = keysOfLog(files, key, findings.authenticity)
  const checkpoint = newestOf(files, keys, findings.authenticity)
  if (checkpoint === null)
    findings.integrity.cannotJudge('there is no checkpoint to compare the events with')
  const judge = new EventJudge(
    findings,
    { isWhole: true, requestIds: new Set() },
    statementsOf(files, keys, findings.authenticity),
  )
  const size = checkpoint?.size ?? 0
  const tree = new CompactTree(readLeaves(files, size, findings, judge))
  judge.end()
  checkTree(findings.integrity, files, tree, checkpointsOf(files, keys, checkpoint, findings))
  for (const path of textsOf(files, logPartNames.stray, findings.integrity)) {
    findings.integrity.fail(`${path} is stored, and the tree has no such tile`)
  }
  checkUncovered(files, findings, judge)
  checkFreshness(findings.freshness, {
    checkpoint,
    newest: judge.newest,
    keys,
    witnessed:
      witnesses === undefined
        ? null
        : { witnesses, ...witnessedLog(files, { size, newestMs: judge.newest?.atMs ?? 0 }) },
    since,
    continuesFrom: (older) =>
      older.size <= tree.size &&
      isSameHash(rangeHash({ begin: 0, end: older.size }, tree.nodeAt), older.root),
  })
  return verdictsOf(findings)
}

/** Passes every event to the judge; returns the concatenated leaf hashes. */
function readLeaves(
  files: LogFiles,
  size: number,
  findings: AllFindings,
  judge: EventJudge,
): Buffer {
  const leaves = Buffer.alloc(size * hashBytesLong)
  for (let begin = 0; begin < size; begin += tileWidth) {
    const width = Math.min(tileWidth, size - begin)
    const path = entriesPath({ index: begin / tileWidth, width })
    const entries = readEntries(files, path, width, findings.integrity)
    for (let inTile = 0; inTile < width; inTile += 1) {
      const index = begin + inTile
      const entry = entries[inTile]
      // An empty entry is the only form for a missing event.
      if (entry === undefined || entry.length === 0) {
        findings.integrity.fail('the event is missing', { event: { index } })
        continue
      }
      leafHash(entry).copy(leaves, index * hashBytesLong)
      judge.take(index, entry.toString('utf8'))
    }
  }
  return leaves
}

function readEntries(files: LogFiles, path: string, width: number, integrity: Findings): Buffer[] {
  const bytes = files.read(path)
  try {
    const entries = bytes === null ? [] : decodeEntries(bytes)
    if (bytes === null) integrity.fail(`${path} is missing`)
    else if (entries.length !== width) integrity.fail(`${path} has ${entries.length} entries`)
    return entries
  } catch (error) {
    integrity.fail(`${path}: ${sentenceOf(error)}`)
    return []
  }
}

/** The log's keys that can be reached from a known one. */
function keysOfLog(files: LogFiles, key: NoteKey, authenticity: Findings): LogKeys {
  try {
    const notes = readTexts(files, logPartNames.handovers)
    return logKeysOf(key, parseHandovers(notes))
  } catch (error) {
    authenticity.fail(`${logPartNames.handovers}: ${sentenceOf(error)}`)
    return logKeysOf(key, [])
  }
}

function newestOf(files: LogFiles, keys: LogKeys, authenticity: Findings): Checkpoint | null {
  const note = files.read(logFileNames.checkpoint)
  try {
    if (note !== null) {
      return openedCheckpoint(textOf(note, logFileNames.checkpoint), keys, authenticity)
    }
    authenticity.fail('there is no checkpoint')
  } catch (error) {
    authenticity.fail(sentenceOf(error))
  }
  return null
}

function statementsOf(files: LogFiles, logKeys: LogKeys, authenticity: Findings): Statements {
  const keys = files.read(logFileNames.keys)
  let verifier: Statements['verifier'] = null
  let storedStatements: Statements['stored'] = []
  try {
    if (keys === null) authenticity.cannotJudge('the keys of the statements are not here')
    else verifier = openStatementKeys(textOf(keys, logFileNames.keys), logKeys)
  } catch (error) {
    authenticity.fail(sentenceOf(error))
  }
  try {
    storedStatements = readStatements(files)
  } catch (error) {
    authenticity.fail(`${logPartNames.statements}: ${sentenceOf(error)}`)
  }
  return { stored: storedStatements, verifier }
}

/** Every signed checkpoint, the smallest first, including the newest. */
function checkpointsOf(
  files: LogFiles,
  keys: LogKeys,
  newest: Checkpoint | null,
  findings: AllFindings,
): Checkpoint[] {
  if (newest === null) return []
  let notes: string[] = []
  try {
    notes = readTexts(files, logPartNames.checkpoints)
  } catch (error) {
    findings.authenticity.fail(`${logPartNames.checkpoints}: ${sentenceOf(error)}`)
  }
  const older = notes
    .flatMap((note) => openedCheckpoint(note, keys, findings.authenticity) ?? [])
    // Of two trees of one size, at most one is here.
    .filter(({ size, root }) => size !== newest.size || !isSameHash(root, newest.root))
  for (const { size } of older) {
    if (size > newest.size) {
      findings.authenticity.fail(
        `a checkpoint covers ${countWords(size, 'event')}, and the newest ${newest.size}`,
      )
    }
  }
  return [...older.filter(({ size }) => size <= newest.size), newest].toSorted(
    (one, other) => one.size - other.size,
  )
}

/** Events outside of the log: new ones, and ones that somebody inserted or removed. */
function checkUncovered(files: LogFiles, { completeness }: AllFindings, judge: EventJudge): void {
  let uncovered: (Partial<Record<keyof UncoveredEvent, unknown>> | null)[] = []
  try {
    uncovered = readLogLines(files, logPartNames.uncovered)
  } catch (error) {
    completeness.fail(`${logPartNames.uncovered}: ${sentenceOf(error)}`)
  }
  let young = 0
  for (const line of uncovered) {
    const { index, document } = line ?? {}
    const place = typeof index === 'number' ? index : null
    const event = readEvent(place, typeof document === 'string' ? document : '')
    const at = event === null ? {} : referenceTo(event)
    if (place !== null) {
      completeness.fail('the event has a place in the log that no checkpoint covers', at)
    } else if (event === null || !(event.atMs > (judge.newest?.atMs ?? 0) - coveredWithinMs)) {
      completeness.fail('the event is in the trail and not in the log', at)
    } else young += 1
  }
  for (const id of textsOf(files, logPartNames.misfiled, completeness)) {
    const problem = 'the trail keeps the event under another time, type or subject than it says'
    completeness.fail(problem, { event: { id } })
  }
  if (young > 0) completeness.describe(`${countWords(young, 'event')} too young to be covered`)
}

function textsOf(files: LogFiles, name: string, findings: Findings): string[] {
  try {
    return readTexts(files, name)
  } catch (error) {
    findings.fail(`${name}: ${sentenceOf(error)}`)
    return []
  }
}
