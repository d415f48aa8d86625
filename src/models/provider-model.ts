import { APICallError, jsonSchema, streamText, tool, type ToolSet } from 'ai'
import type { ModelProvider } from '#domain/model-provider.ts'
import type { WorkerModelSettings } from '#policy/model-settings.ts'
import {
  cachedInstructions,
  cachePointOf,
  withCachePoints,
  type CachePoint,
} from './cache-points.ts'
import { languageModel } from './language-model.ts'
import type { Model, ModelRequest, ModelTool } from './model.ts'
import { readAnswer, refuseUnfinished, type StreamedAnswer } from './read-answer.ts'
import {
  noPictures,
  picturePlaceOf,
  type PicturePlace,
  providerMessages,
} from './provider-messages.ts'
import type { ProviderSettings } from './provider-settings.ts'
import { providerFailure } from './provider-failure.ts'

/**
 * Anthropic's protocol requires a limit. The SDK assumes 4,096 for models that it does not know,
 * which is too little for a file. For models that it knows, it lowers this to their maximum.
 */
const maxOutputTokens: Readonly<Partial<Record<ModelProvider, number>>> = { anthropic: 32_000 }

/**
 * A provider's model through the AI SDK: exactly one step, streamed. No tool has an `execute`. Only
 * a request whose pictures were refused is retried here; the activity retries everything else, so
 * that every attempt is counted.
 */
export function providerModel(options: {
  /** as the worker file writes it */
  readonly name: string
  readonly provider: ModelProvider
  readonly id: string
  /** its address and key */
  readonly connection: ProviderSettings
  readonly settings: WorkerModelSettings
  /** how long the provider may send nothing */
  readonly timeoutMs: number
  /** how long the whole answer may take */
  readonly totalTimeoutMs: number
}): Model {
  const { name, provider, id, connection, settings } = options
  const place = picturePlaceOf(provider, connection.seesPictures)
  return {
    isScripted: false,
    async step(request) {
      request.signal.throwIfAborted()
      const model = await languageModel(provider, id, name, connection)
      using silence = silenceTimeout(options)
      try {
        const how = {
          cachePoint: settings.cache ? cachePointOf(provider, id) : null,
          abortSignal: AbortSignal.any([request.signal, silence.signal]),
          silence,
          settings: {
            ...settings,
            maxOutputTokens: settings.maxOutputTokens ?? maxOutputTokens[provider] ?? null,
          },
        }
        const call = (pictures: PicturePlace): Promise<StreamedAnswer> =>
          callOnce(model, request, { ...how, pictures })
        const answer = await call(place).catch((error: unknown) => {
          if (!mayBeForPictures(error, request, place)) throw error
          return call(noPictures)
        })
        refuseUnfinished(name, answer)
        const { calls, responseModel, text, usage } = answer
        return { text, calls, usage, responseModel }
      } catch (error) {
        if (request.signal.aborted) throw request.signal.reason
        const cause = silence.signal.aborted ? silence.signal.reason : error
        throw providerFailure(cause, name, connection.secret)
      }
    },
  }
}

function callOnce(
  model: Awaited<ReturnType<typeof languageModel>>,
  request: ModelRequest,
  how: {
    readonly abortSignal: AbortSignal
    readonly silence: { reset(): void }
    /** `null`: the provider is not told where to cache */
    readonly cachePoint: CachePoint | null
    readonly pictures: PicturePlace
    readonly settings: WorkerModelSettings
  },
): Promise<StreamedAnswer> {
  const messages = providerMessages(request.messages, how.pictures)
  const { system } = request
  const { cachePoint } = how
  const { temperature, maxOutputTokens, reasoning } = how.settings
  const instructions = cachePoint === null ? system : cachedInstructions(system, cachePoint)
  const { stream } = streamText({
    model,
    ...(system === '' ? {} : { instructions }),
    messages: cachePoint === null ? messages : withCachePoints(messages, cachePoint),
    tools: toolSet(request.tools),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    ...(temperature === null ? {} : { temperature }),
    ...(reasoning === null ? {} : { reasoning }),
    maxRetries: 0,
    abortSignal: how.abortSignal,
    // Errors are parts of the stream; the SDK would also print them.
    onError: () => undefined,
  })
  return readAnswer(stream, {
    signal: how.abortSignal,
    onPart: () => how.silence.reset(),
    onText: request.onText ?? (() => undefined),
  })
}

/**
 * Whether a refusal may be because of pictures: the model sees none, or one is too large or broken.
 * They stay in the transcript, so without a second attempt as text one picture of a tool could stop
 * a run for good.
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
 * Own properties only, whatever the tool's name. Policy checks the schema and tells the model; this
 * does not.
 */
function toolSet(tools: readonly ModelTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, jsonSchema: schema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(schema) }),
    ]),
  )
}

/** A time-out that begins again at each sign of life, and one for the whole. */
interface SilenceTimeout extends Disposable {
  /** fires with a `TimeoutError` */
  readonly signal: AbortSignal
  reset(): void
}

/**
 * Fires after `timeoutMs` without a sign of life, and after `totalTimeoutMs` in any case: an answer
 * may be long, but a server that sends a byte now and then must not hold a turn for ever.
 */
function silenceTimeout(options: {
  readonly timeoutMs: number
  readonly totalTimeoutMs: number
}): SilenceTimeout {
  const controller = new AbortController()
  const fire = (): void =>
    controller.abort(new DOMException('The answer took too long', 'TimeoutError'))
  const total = setTimeout(fire, options.totalTimeoutMs)
  const silence = setTimeout(fire, options.timeoutMs)
  return {
    signal: controller.signal,
    reset: () => void silence.refresh(),
    [Symbol.dispose]() {
      clearTimeout(total)
      clearTimeout(silence)
    },
  }
}
