import type { FinishReason, UiEvent, UiPart } from '#domain/runs/ui-part.ts'
import { outputParts } from './output-parts.ts'
import {
  beginAt,
  cursorId,
  type StreamCursor,
  callMark,
  maxSentRequests,
  sentRequestCount,
} from './stream-cursor.ts'
import type { StreamView, CallView } from './stream-view.ts'

/** The position of a reader after some events. */
export interface StreamProgress {
  readonly cursor: StreamCursor
  readonly events: readonly UiEvent[]
}

/**
 * The events that a reader at `cursor` gets now, and the reader's next position. It is at a later
 * turn if a turn is complete (call again), at `done` if the stream has ended, and otherwise where
 * more will come. Only the two arguments determine the events and their ids.
 */
export function advanceStream(from: StreamCursor, view: StreamView): StreamProgress {
  const events: UiEvent[] = []
  let cursor = from
  const send = (part: UiPart | '[DONE]', change: Partial<StreamCursor>): void => {
    cursor = { ...cursor, ...change }
    events.push({ id: cursorId(cursor), part })
  }
  if (cursor.stage === 'new')
    send({ type: 'start', messageId: `${view.runId}.${cursor.turn}` }, { stage: 'opened' })
  sendText()
  if (cursor.stage === 'calls') sendCalls()
  if (cursor.stage === 'stepped' && (view.turns > cursor.turn || !view.rests)) {
    cursor = { ...beginAt(cursor.turn + 1), stage: 'opened' }
    return { cursor, events }
  }
  finish()
  return { cursor, events }

  function sendText(): void {
    const { turn } = view
    if (!['opened', 'step', 'text'].includes(cursor.stage)) return
    const isOther =
      cursor.stage === 'text' && (turn.kind === 'none' || turn.attempt !== cursor.attempt)
    if (isOther) send({ type: 'reset-step' }, { stage: 'step', attempt: 0, offset: 0 })
    if (turn.kind === 'none') return
    if (cursor.stage === 'opened') send({ type: 'start-step' }, { stage: 'step' })
    const id = `${cursor.turn}.${turn.attempt}`
    if (turn.text !== '' && cursor.stage === 'step')
      send({ type: 'text-start', id }, { stage: 'text', attempt: turn.attempt, offset: 0 })
    const pieces = turn.kind === 'live' ? [turn.text].filter(Boolean) : textPieces(turn.text)
    for (const delta of pieces)
      send({ type: 'text-delta', id, delta }, { offset: cursor.offset + delta.length })
    if (turn.kind === 'live') return
    if (cursor.stage === 'text') send({ type: 'text-end', id }, { stage: 'calls' })
    else cursor = { ...cursor, stage: 'calls', attempt: turn.attempt }
  }

  function sendCalls(): void {
    if (view.turn.kind !== 'stored') return
    for (const { part, calls } of callParts(view.turn.calls, cursor.calls)) send(part, { calls })
    for (const { part, outputs } of outputParts(view.turn.calls, cursor.outputs)) {
      send(part, { outputs })
    }
    const isOpen = view.turn.calls.some(({ result }) => result === null)
    if (!isOpen || view.rests) send({ type: 'finish-step' }, { stage: 'stepped', outputs: [] })
  }

  function finish(): void {
    if (cursor.stage !== 'finished' && view.rests && cursor.stage !== 'done') {
      if (cursor.stage === 'step') send({ type: 'finish-step' }, { stage: 'stepped' })
      const { state, rest, failure } = view
      const metadata = { state, rest, failure }
      // A turn that was begun and not stored is taken again: nothing of it was sent.
      const over = { ...beginAt(view.turns), stage: 'finished' as const }
      send({ type: 'finish', finishReason: reasonOf(view), messageMetadata: metadata }, over)
    }
    if (cursor.stage === 'finished') send('[DONE]', { stage: 'done' })
  }
}

function reasonOf({ state, rest }: StreamView): FinishReason {
  if (state === 'failed' || rest === 'model_failed') return 'error'
  return state === 'completed' || rest === 'answered' ? 'stop' : 'other'
}

const pieceCharacters = 400

/**
 * A text in pieces that end after a word if possible, so that a stored text looks like one that is
 * being written.
 */
function textPieces(text: string): readonly string[] {
  if (text === '') return []
  const maxCharacters = Math.max(1, Math.min(pieceCharacters, Math.ceil(text.length / 16)))
  const pieces: string[] = []
  let start = 0
  while (start < text.length) {
    const space = text.slice(start + maxCharacters, start + 2 * maxCharacters).search(/\s/)
    const end = start + maxCharacters + (space === -1 ? maxCharacters : space + 1)
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}

/**
 * The parts of a turn's calls that a reader has not received, each with the marks of all calls
 * after it: first every input, then the requests, then the results.
 */
function callParts(
  calls: readonly CallView[],
  position: string,
): readonly { readonly part: UiPart; readonly calls: string }[] {
  const marks = calls.map((_call, index) => position[index] ?? '-')
  const parts: { part: UiPart; calls: string }[] = []
  const send = (index: number, mark: string, part: UiPart): void => {
    marks[index] = mark
    parts.push({ part, calls: marks.join('') })
  }
  for (const [index, { toolCallId, tool: toolName, input }] of calls.entries()) {
    if (marks[index] !== '-') continue
    send(index, callMark(0), { type: 'tool-input-available', toolCallId, toolName, input })
  }
  for (const [index, { toolCallId, requests }] of calls.entries()) {
    const mark = marks[index] ?? 'z'
    if (mark === 'z') continue
    for (const [at, approvalId] of requests.slice(0, maxSentRequests).entries()) {
      if (at < sentRequestCount(mark)) continue
      send(index, callMark(at + 1), {
        type: 'tool-approval-request',
        approvalId,
        toolCallId,
      })
    }
  }
  for (const [index, call] of calls.entries()) {
    if (marks[index] !== 'z' && call.result !== null)
      send(index, 'z', resultPart(call, call.result))
  }
  return parts
}

function resultPart(
  { toolCallId }: CallView,
  { type, text, output }: NonNullable<CallView['result']>,
): UiPart {
  if (type === 'output')
    return { type: 'tool-output-available', toolCallId, output: output ?? text }
  if (type === 'denied') return { type: 'tool-output-denied', toolCallId }
  return { type: 'tool-output-error', toolCallId, errorText: text }
}
