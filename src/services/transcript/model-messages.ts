import { isPictureType } from '#domain/tools/picture-type.ts'
import {
  elidedAt,
  lastCompaction,
  pictureAsTextBytes,
  type WindowStep,
} from '#domain/runs/window.ts'
import type { ModelMessage } from '#models/model.ts'
import { placeOfMessage, type SeenPictures } from './seen-pictures.ts'
import type { TranscriptCall, TranscriptMessage } from './load-transcript.ts'
import type { CallResult, StoredFile } from './store-result.ts'
import { compactionText, elidedPicturesText, elidedText } from './result-texts.ts'

/**
 * The transcript for a model, without what `steps` removed from its window. Ids that a turn used
 * twice are made distinct, since providers refuse a conversation that repeats one; the stored calls
 * keep the model's own. `pictures`: those that it sees.
 */
export function modelMessages(
  transcript: readonly TranscriptMessage[],
  pictures: SeenPictures,
  steps: readonly WindowStep[],
): ModelMessage[] {
  const used = new Set<string>()
  const compaction = lastCompaction(steps)
  if (compaction === null) {
    return transcript.flatMap((message) => messagesOf(message, { pictures, steps, used }))
  }
  const { throughTurn, text } = compaction
  const [task, ...others] = transcript
  const laterMessages = others.filter(({ turn }) => (turn ?? Infinity) > throughTurn)
  const summary = compactionText(throughTurn, text ?? '')
  return [
    ...(task === undefined ? [] : messagesOf(task, { pictures, steps, used })),
    { role: 'user', text: summary },
    ...laterMessages.flatMap((message) => messagesOf(message, { pictures, steps, used })),
  ]
}

interface MessageContext {
  readonly pictures: SeenPictures
  readonly steps: readonly WindowStep[]
  readonly used: Set<string>
}

function messagesOf(message: TranscriptMessage, context: MessageContext): ModelMessage[] {
  const { pictures, steps, used } = context
  if (message.role === 'user') {
    const atTurn = picturesElidedAt(steps, message)
    const sent = atTurn === null ? (pictures.get(placeOfMessage(message)) ?? []) : []
    const returned = message.calls.flatMap((call) => pictures.get(call.callId) ?? [])
    const visible = [...sent, ...returned]
    const note = atTurn === null ? '' : `\n${elidedPicturesText(message.turn ?? 0, atTurn)}`
    const pictureFields = visible.length === 0 ? {} : { pictures: visible }
    return [{ role: 'user', text: message.text + note, ...pictureFields }]
  }
  const calls = message.calls.map((call) => ({ call, id: unusedId(call, used) }))
  const answer: ModelMessage = {
    role: 'assistant',
    text: message.text,
    calls: calls.map(({ call, id }) => ({ id, tool: call.tool, input: call.input })),
  }
  if (calls.length === 0) return [answer]
  const results = calls.map(({ call, id }, index) => {
    const { tool } = call
    const { text, elided } = resultText(steps, message, call, index)
    const visible = elided ? undefined : pictures.get(call.callId)
    const isError = call.result?.type !== 'output'
    return { id, tool, text, isError, ...(visible === undefined ? {} : { pictures: visible }) }
  })
  return [answer, { role: 'tool', results }]
}

/** The first turn in which the model does not see a message's pictures; `null`: none. */
export function picturesElidedAt(
  steps: readonly WindowStep[],
  { role, turn, files = [] }: Pick<TranscriptMessage, 'role' | 'turn' | 'files'>,
): number | null {
  const resultBytes = picturesSize(files)
  if (role !== 'user' || turn === null || resultBytes === 0 || steps.length === 0) return null
  return elidedAt(steps, { turn, position: 0, resultBytes })
}

/** The size of a result in a prompt, in bytes of text. */
export function resultSize(result: CallResult | null): number {
  return Buffer.byteLength(result?.text ?? '') + picturesSize(result?.files)
}

function picturesSize(files: readonly StoredFile[] = []): number {
  return files.filter(({ mediaType }) => isPictureType(mediaType)).length * pictureAsTextBytes
}

function resultText(
  steps: readonly WindowStep[],
  { turn }: TranscriptMessage,
  call: TranscriptCall,
  index: number,
): { readonly text: string; readonly elided: boolean } {
  const text = call.result?.text ?? ''
  if (steps.length === 0) return { text, elided: false }
  const place = { turn: turn ?? 0, position: index + 1, resultBytes: resultSize(call.result) }
  const atTurn = elidedAt(steps, place)
  if (atTurn === null) return { text, elided: false }
  const at = { turn: place.turn, call: place.position }
  return { text: elidedText({ ...call, text, atTurn, at }), elided: true }
}

function unusedId(call: TranscriptCall, used: Set<string>): string {
  const id = used.has(call.toolCallId) ? `call_${call.callId}` : call.toolCallId
  used.add(id)
  return id
}
