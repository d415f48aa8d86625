import type { TextStreamPart, ToolSet } from 'ai'
import type { Json } from '#domain/json/json.ts'
import { ModelProblem, noUsage, type ModelAnswer, type ModelCall } from './model.ts'

/** An answer as it was streamed, and how it ended. */
export interface StreamedAnswer extends ModelAnswer {
  readonly finishReason: string
  /** whether the provider said that the answer is complete */
  readonly isFinished: boolean
}

/**
 * Reads the stream of one step to its end. Rejects with the provider's error, even in the middle of
 * the answer, or with the signal's reason.
 */
export async function readAnswer(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  how: {
    readonly signal: AbortSignal
    readonly onPart: () => void
    readonly onText: (piece: string) => void
  },
): Promise<StreamedAnswer> {
  let text = ''
  const calls: ModelCall[] = []
  let end: Pick<StreamedAnswer, 'finishReason' | 'isFinished' | 'usage' | 'responseModel'> | null =
    null
  for await (const part of stream) {
    how.onPart()
    switch (part.type) {
      case 'text-delta':
        text += part.text
        if (part.text !== '') how.onText(part.text)
        break
      case 'tool-call':
        calls.push(callOf(part))
        break
      case 'error':
        throw part.error
      case 'abort':
        throw how.signal.reason
      case 'finish-step': {
        const { finishReason, rawFinishReason, response, usage } = part
        end = {
          responseModel: response.modelId,
          finishReason,
          isFinished: rawFinishReason !== undefined || saysItself.has(finishReason),
          usage: {
            inputTokens: usage.inputTokens ?? 0,
            cachedInputTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
            outputTokens: usage.outputTokens ?? 0,
          },
        }
        break
      }
      default:
    }
  }
  how.signal.throwIfAborted()
  const noEnd = { finishReason: 'other', isFinished: false, usage: noUsage }
  return { text, calls, ...(end ?? noEnd) }
}

/**
 * Reasons that the SDK derives only from a provider's own word. It also uses the others when the
 * provider says nothing.
 */
const saysItself: ReadonlySet<string> = new Set(['stop', 'tool-calls', 'length', 'content-filter'])

/** Arguments that cannot be parsed stay text. */
function callOf(call: {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  readonly invalid?: boolean | undefined
}): ModelCall {
  const { toolCallId: id, toolName, input } = call
  const isText = call.invalid === true && typeof input === 'string'
  return { id, tool: toolName, input: isText ? { invalidJson: input } : ((input ?? {}) as Json) }
}

/**
 * Refuses an answer that stopped in the middle: its text is incomplete, and its last call may be
 * cut off. Throws a `ModelProblem`.
 */
export function refuseUnfinished(name: string, answer: StreamedAnswer): void {
  const { finishReason, text, calls } = answer
  if (finishReason === 'length') {
    const why = 'reached its output limit before its answer was complete'
    throw new ModelProblem(`The model ${name} ${why}.`, { isRetryable: false })
  }
  if (finishReason === 'content-filter') {
    throw new ModelProblem(`The provider of ${name} withheld the answer.`, { isRetryable: false })
  }
  const isEmpty = text === '' && calls.length === 0
  if (finishReason === 'error' || !answer.isFinished || (isEmpty && finishReason !== 'stop')) {
    throw new ModelProblem(`The model ${name} broke off (${finishReason}).`, { isRetryable: true })
  }
}
