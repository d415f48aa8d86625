import type { ModelMessage } from '#models/model.ts'
import type { CallPictures } from './call-pictures.ts'
import type { TranscriptCall, TranscriptMessage } from './load-transcript.ts'

/**
 * The transcript as a model is given it. Ids that a turn used twice are told apart, since providers
 * refuse a conversation that repeats one; the stored calls keep the model's own. `pictures`: those
 * of the results that it sees.
 */
export function modelMessages(
  transcript: readonly TranscriptMessage[],
  pictures: CallPictures,
): ModelMessage[] {
  const messages: ModelMessage[] = []
  const used = new Set<string>()
  for (const message of transcript) {
    if (message.role === 'user') {
      const visible = message.calls.flatMap((call) => pictures.get(call.callId) ?? [])
      messages.push({
        role: 'user',
        text: message.text,
        ...(visible.length === 0 ? {} : { pictures: visible }),
      })
      continue
    }
    const calls = message.calls.map((call) => ({ call, id: unusedId(call, used) }))
    messages.push({
      role: 'assistant',
      text: message.text,
      calls: calls.map(({ call, id }) => ({ id, tool: call.tool, input: call.input })),
    })
    if (calls.length === 0) continue
    messages.push({
      role: 'tool',
      results: calls.map(({ call, id }) => {
        const visible = pictures.get(call.callId)
        return {
          id,
          tool: call.tool,
          text: call.result?.text ?? '',
          isError: call.result?.type !== 'output',
          ...(visible === undefined ? {} : { pictures: visible }),
        }
      }),
    })
  }
  return messages
}

function unusedId(call: TranscriptCall, used: Set<string>): string {
  const id = used.has(call.toolCallId) ? `call_${call.callId}` : call.toolCallId
  used.add(id)
  return id
}
