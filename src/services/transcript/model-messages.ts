import { elidedAt, lastCompaction, type WindowStep } from '#domain/runs/window.ts'
import type { ModelMessage } from '#models/model.ts'
import type { CallPictures } from './call-pictures.ts'
import type { TranscriptCall, TranscriptMessage } from './load-transcript.ts'
import { compactionText, elidedText } from './result-texts.ts'

/**
 * The transcript as a model is given it, without what its window has no room for (`steps`). Ids
 * that a turn used twice are told apart, since providers refuse a conversation that repeats one;
 * the stored calls keep the model's own. `pictures`: those of the results that it sees.
 */
export function modelMessages(
  transcript: readonly TranscriptMessage[],
  pictures: CallPictures,
  steps: readonly WindowStep[],
): ModelMessage[] {
  const used = new Set<string>()
  const compaction = lastCompaction(steps)
  if (compaction === null) {
    return transcript.flatMap((message) => messagesOf(message, { pictures, steps, used }))
  }
  const { throughTurn, text } = compaction
  const [task, ...others] = transcript
  const seen = others.filter(({ turn }) => (turn ?? Infinity) > throughTurn)
  const summary = compactionText(throughTurn, text ?? '')
  return [
    ...(task === undefined ? [] : messagesOf(task, { pictures, steps, used })),
    { role: 'user', text: summary },
    ...seen.flatMap((message) => messagesOf(message, { pictures, steps, used })),
  ]
}

interface Sight {
  readonly pictures: CallPictures
  readonly steps: readonly WindowStep[]
  readonly used: Set<string>
}

function messagesOf(message: TranscriptMessage, sight: Sight): ModelMessage[] {
  const { pictures, steps, used } = sight
  if (message.role === 'user') {
    const visible = message.calls.flatMap((call) => pictures.get(call.callId) ?? [])
    const pictureFields = visible.length === 0 ? {} : { pictures: visible }
    return [{ role: 'user', text: message.text, ...pictureFields }]
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

function resultText(
  steps: readonly WindowStep[],
  { turn }: TranscriptMessage,
  call: TranscriptCall,
  index: number,
): { readonly text: string; readonly elided: boolean } {
  const text = call.result?.text ?? ''
  if (steps.length === 0) return { text, elided: false }
  const place = { turn: turn ?? 0, position: index + 1, resultBytes: Buffer.byteLength(text) }
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
