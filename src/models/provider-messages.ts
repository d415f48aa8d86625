import type { ModelMessage as ProviderMessage } from 'ai'
import type { Json, JsonObject } from '../domain/json.ts'
import type { InvalidInput, ModelCall, ModelMessage } from './model.ts'

/** The transcript in the AI SDK's form. A message without text and calls is left out: providers refuse empty ones. */
export function providerMessages(messages: readonly ModelMessage[]): ProviderMessage[] {
  return messages.flatMap((message): ProviderMessage[] => {
    switch (message.role) {
      case 'user':
        return message.text === '' ? [] : [{ role: 'user', content: message.text }]
      case 'assistant':
        return assistantMessage(message.text, message.calls)
      case 'tool':
        return [
          {
            role: 'tool',
            content: message.results.map((result) => ({
              type: 'tool-result',
              toolCallId: result.id,
              toolName: result.tool,
              output: { type: result.isError ? 'error-text' : 'text', value: result.text },
            })),
          },
        ]
    }
  })
}

function assistantMessage(text: string, calls: readonly ModelCall[]): ProviderMessage[] {
  if (text === '' && calls.length === 0) return []
  const said = text === '' ? [] : [{ type: 'text' as const, text }]
  const called = calls.map((call) => ({
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.tool,
    input: asObject(call.input),
  }))
  return [{ role: 'assistant', content: [...said, ...called] }]
}

/** Providers take only objects back; what was no object is wrapped, so that the model sees its own mistake. */
function asObject(input: Json | InvalidInput): JsonObject {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
    return { ...input }
  }
  return { value: input }
}
