import { elidedAt, lastCompaction, type WindowStep } from '#domain/runs/window.ts'
import { picturesElidedAt, resultSize } from '../../transcript/model-messages.ts'
import type { TranscriptMessage } from '../../transcript/load-transcript.ts'

/** Smaller results stay, since the line in place of one takes up to that many bytes. */
export const leastElidedBytes = 900

/** Shares of the room that an elision or a compaction leaves, so that both are rare. */
const elidedTo = 0.6
const stillFullAt = 0.9
const retainedShare = 0.4

/** The last call whose result an elision leaves out; 0: the pictures that its turn read. */
export interface Elision {
  readonly kind: 'elision'
  readonly throughTurn: number
  readonly throughPosition: number
}

/** The turns that a summary replaces. */
export interface Compaction {
  readonly kind: 'compaction'
  readonly throughTurn: number
}

export interface WindowState {
  readonly transcript: readonly TranscriptMessage[]
  readonly steps: readonly WindowStep[]
  /** of the whole prompt as the model would get it now */
  readonly promptBytes: number
  /** size of the part that comes from a message */
  bytesOf(message: TranscriptMessage): number
  /** size of the pictures that a message brought and the model sees */
  pictureBytesOf(message: TranscriptMessage): number
  /** how much the model takes */
  readonly maxPromptBytes: number
  /** whether the model can summarise: a scripted one cannot */
  readonly mayCompact: boolean
}

/**
 * What must leave the window before the model is asked; `null` when the prompt fits, or nothing can
 * leave. It leaves out results of old calls and pictures of old messages first, oldest first and
 * many at a time, which preserves the providers' caches. Then it leaves out the oldest turns, and
 * last the results that the model has not seen yet. Pure.
 */
export function planWindow(state: WindowState): Elision | Compaction | null {
  const { promptBytes, maxPromptBytes, mayCompact } = state
  if (promptBytes <= maxPromptBytes) return null
  const calls = elidableCalls(state)
  const newest = state.transcript.findLast(({ role }) => role === 'assistant')?.turn ?? 0
  const old = calls.filter(({ turn }) => turn < newest)
  const saved = old.reduce((sum, { saves }) => sum + saves, 0)
  const helps = promptBytes - saved <= maxPromptBytes * stillFullAt
  if (old.length > 0 && (helps || !mayCompact)) return throughCall(old, state)
  const compaction = mayCompact ? compactionOf(state, newest) : null
  if (compaction !== null) return compaction
  return calls.length === 0 ? null : throughCall(calls, state)
}

interface ElidableCall {
  readonly turn: number
  readonly position: number
  readonly saves: number
}

/** Results and pictures that the model sees and that can be left out, in order. */
function elidableCalls(state: WindowState): ElidableCall[] {
  const { transcript, steps } = state
  const compacted = lastCompaction(steps)?.throughTurn ?? 0
  return transcript
    .flatMap((message, index) => {
      // The task stays, whatever is summarised.
      const isThere = message.turn !== null && (message.turn > compacted || index === 0)
      return isThere ? partsOf(message, message.turn, state) : []
    })
    .filter(({ bytes }) => bytes > leastElidedBytes)
    .map(({ bytes, ...part }) => ({ ...part, saves: bytes - leastElidedBytes / 2 }))
}

/** The parts of a message that can be left out, by their place in the turn. */
function partsOf(message: TranscriptMessage, turn: number, state: WindowState) {
  const { steps } = state
  if (message.role === 'user') {
    const bytes = picturesElidedAt(steps, message) === null ? state.pictureBytesOf(message) : 0
    return [{ turn, position: 0, bytes }]
  }
  return message.calls
    .map(({ result }, index) => ({
      turn,
      position: index + 1,
      bytes: resultSize(result),
    }))
    .filter(({ bytes, ...place }) => elidedAt(steps, { ...place, resultBytes: bytes }) === null)
}

/** As many of the oldest calls as reduce the prompt to its target. */
function throughCall(calls: readonly ElidableCall[], state: WindowState): Elision | null {
  let remaining = state.promptBytes
  for (const { turn, position, saves } of calls) {
    remaining -= saves
    if (remaining <= state.maxPromptBytes * elidedTo) {
      return { kind: 'elision', throughTurn: turn, throughPosition: position }
    }
  }
  const last = calls.at(-1)
  if (last === undefined) return null
  return { kind: 'elision', throughTurn: last.turn, throughPosition: last.position }
}

/** All turns except the newest ones that fit a part of the room; the last one always stays. */
function compactionOf(state: WindowState, newest: number): Compaction | null {
  const compacted = lastCompaction(state.steps)?.throughTurn ?? 0
  let remaining = 0
  let throughTurn = 0
  for (const message of state.transcript.toReversed()) {
    const turn = message.turn ?? Infinity
    if (turn < newest && remaining > state.maxPromptBytes * retainedShare) {
      throughTurn = turn
      break
    }
    remaining += state.bytesOf(message)
  }
  if (throughTurn === 0) throughTurn = newest - 1
  return throughTurn > compacted ? { kind: 'compaction', throughTurn } : null
}
