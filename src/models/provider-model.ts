import { APICallError, generateText, jsonSchema, tool, type ToolSet } from 'ai'
import type { Json } from '#domain/json.ts'
import type { ModelProvider } from '#policy/worker/model-name.ts'
import { languageModel } from './language-model.ts'
import {
  ModelProblem,
  type Model,
  type ModelCall,
  type ModelRequest,
  type ModelTool,
} from './model.ts'
import {
  noPictures,
  picturePlaceOf,
  type PicturePlace,
  providerMessages,
} from './provider-messages.ts'
import { providerSettings, type ModelEnvironment } from './model-settings.ts'
import { providerFailure } from './provider-failure.ts'

/**
 * Anthropic's protocol demands a limit; the SDK assumes 4,096 for models it does not know, too few
 * for a file. For models it knows, it lowers this to what they can do.
 */
const maxOutputTokens: Readonly<Partial<Record<ModelProvider, number>>> = { anthropic: 32_000 }

/**
 * A provider's model through the AI SDK: exactly one step, no tool has an `execute`, nothing is
 * retried here but a request whose pictures were refused. The activity that takes the turn retries,
 * so that every attempt is counted.
 */
export function providerModel(options: {
  readonly provider: ModelProvider
  readonly id: string
  readonly environment: ModelEnvironment
  readonly timeoutMs: number
}): Model {
  const { provider, id } = options
  const name = `${provider}:${id}`
  const settings = providerSettings(provider, options.environment)
  const place = picturePlaceOf(provider, settings.seesPictures)
  return {
    scripted: false,
    async step(request) {
      request.signal.throwIfAborted()
      const model = languageModel(provider, id, settings)
      const timeout = AbortSignal.timeout(options.timeoutMs)
      let result: Awaited<ReturnType<typeof callOnce>>
      try {
        const abortSignal = AbortSignal.any([request.signal, timeout])
        const most = maxOutputTokens[provider] ?? null
        const call = (pictures: PicturePlace): ReturnType<typeof callOnce> =>
          callOnce(model, request, { abortSignal, pictures }, most)
        result = await call(place).catch((error: unknown) => {
          if (!mayBeForPictures(error, request, place)) throw error
          return call(noPictures)
        })
      } catch (error) {
        if (request.signal.aborted) throw request.signal.reason
        const cause = timeout.aborted ? timeout.reason : error
        throw providerFailure(cause, name, settings.apiKey)
      }
      refuseUnfinished(name, result)
      return {
        text: result.text,
        calls: result.toolCalls.map(callOf),
        usage: {
          inputTokens: result.usage.inputTokens ?? 0,
          outputTokens: result.usage.outputTokens ?? 0,
        },
      }
    },
  }
}

function callOnce(
  model: ReturnType<typeof languageModel>,
  request: ModelRequest,
  how: { readonly abortSignal: AbortSignal; readonly pictures: PicturePlace },
  maxTokens: number | null,
) {
  return generateText({
    model,
    ...(request.system === '' ? {} : { instructions: request.system }),
    messages: providerMessages(request.messages, how.pictures),
    tools: toolSet(request.tools),
    ...(maxTokens === null ? {} : { maxOutputTokens: maxTokens }),
    maxRetries: 0,
    abortSignal: how.abortSignal,
  })
}

/**
 * Whether a refusal may be for the pictures: the model sees none, or one is too large or broken.
 * They stay in the transcript, so that without a second question in text a tool's picture could
 * stop a run for good.
 */
function mayBeForPictures(error: unknown, request: ModelRequest, place: PicturePlace): boolean {
  if (place.where === 'nowhere' || !APICallError.isInstance(error)) return false
  if (![400, 404, 413, 415, 422].includes(error.statusCode ?? 0)) return false
  return request.messages.some((message) => {
    if (message.role === 'assistant') return false
    const sources = message.role === 'user' ? [message] : message.results
    return sources.some(({ pictures = [] }) => pictures.length > 0)
  })
}

/**
 * Own properties only, whatever a tool is called. No schema is checked here: policy does, and tells
 * the model.
 */
function toolSet(tools: readonly ModelTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, jsonSchema: schema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(schema) }),
    ]),
  )
}

/** Arguments that could not be parsed arrive as the text they are. */
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

/** An answer that stopped in the middle is not played: its last call may be cut. */
function refuseUnfinished(
  name: string,
  result: {
    readonly finishReason: string
    readonly text: string
    readonly toolCalls: readonly unknown[]
  },
): void {
  const { finishReason, text, toolCalls } = result
  if (finishReason === 'length') {
    const why = 'reached its output limit before its answer was complete'
    throw new ModelProblem(`The model ${name} ${why}.`, { retryable: false })
  }
  if (finishReason === 'content-filter') {
    throw new ModelProblem(`The provider of ${name} withheld the answer.`, { retryable: false })
  }
  const isEmpty = text === '' && toolCalls.length === 0
  if (finishReason === 'error' || (isEmpty && finishReason !== 'stop')) {
    throw new ModelProblem(`The model ${name} broke off (${finishReason}).`, { retryable: true })
  }
}
