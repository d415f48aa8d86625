import { parentPort } from 'node:worker_threads'
import { errorMessage } from '#domain/error-message.ts'
import { containsPath } from '#policy/globs/zones-of-path.ts'
import {
  lookForNames,
  TooManyEntries,
  type ZoneNames,
} from '#sandbox/bwrap/names/look-for-names.ts'
import { undoNames } from '#sandbox/bwrap/names/undo-names.ts'
import { commandNames } from './command-names.ts'
import type { LookAnswer, LookRequest, ZonesToLook } from './look-protocol.ts'

/** More sentences are only counted: a command can create any number of names. */
const maxSentences = 10_000
const running = new Map<number, AbortController>()

/**
 * Runs in a worker thread (security.md 30): a zone may have hundreds of thousands of files, and the
 * service's event loop must not be blocked.
 */
parentPort?.on('message', (question: LookRequest) => {
  if (question.do === 'cancel') running.get(question.id)?.abort()
  else void take(question)
})

async function take(question: Exclude<LookRequest, { do: 'cancel' }>): Promise<void> {
  const { id } = question
  const stop = new AbortController()
  running.set(id, stop)
  const answer = await answerTo(question, stop.signal).catch((error: unknown): LookAnswer => {
    const message = errorMessage(error)
    const type = stop.signal.aborted
      ? 'cancelled'
      : error instanceof TooManyEntries
        ? 'tooMany'
        : 'failed'
    return { id, type, message }
  })
  running.delete(id)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer)
}

async function answerTo(
  question: Exclude<LookRequest, { do: 'cancel' }>,
  signal: AbortSignal,
): Promise<LookAnswer> {
  const { id, zones } = question
  if (question.do === 'look') {
    return { id, type: 'names', names: await look(zones, question.bounded, signal) }
  }
  // The search after a command uses the same rules as the search before it.
  const mountsWhole = [...question.before.guarded.values()].some(({ whole }) => whole)
  const after = await look({ ...zones, mountsWhole }, false, signal)
  const sentences = await undoNames(zones.root, question.before, after, question.untilMs)
  const more = Math.max(0, sentences.length - maxSentences)
  return { id, type: 'undone', done: sentences.slice(0, maxSentences), more }
}

async function look(
  { allowed, folders, hidden, missing, mountsWhole, names, root, sinceMs, zones }: ZonesToLook,
  bounded: boolean,
  signal: AbortSignal,
): Promise<ZoneNames> {
  const rules = commandNames(names, allowed)
  const deepestFirst = zones.toSorted((left, right) => right.at.length - left.at.length)
  return lookForNames({
    root,
    folders,
    // A command must not create a missing zone under another zone's mode.
    names: { ...rules, guardOf: (at) => (missing.includes(at) ? 'guarded' : rules.guardOf(at)) },
    isWritable: (at) => deepestFirst.find((zone) => containsPath(zone.at, at))?.mode === 'rw',
    // A zone in it may be mounted where the folder is not.
    isMountedWhole: (at) =>
      mountsWhole && !zones.some((zone) => zone.at !== at && containsPath(at, zone.at)),
    hidden,
    bounded,
    setIdSinceMs: sinceMs,
    signal,
  })
}
