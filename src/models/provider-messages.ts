import type { ModelMessage as ProviderMessage, ToolResultPart } from 'ai'
import type { Json, JsonObject } from '#domain/json/json.ts'
import { pictureTypes, type PictureType } from '#domain/tools/picture-type.ts'
import type { ModelProvider } from '#domain/model-provider.ts'
import type { InvalidInput, ModelCall, ModelMessage, ModelPicture } from './model.ts'

type Result = Extract<ModelMessage, { role: 'tool' }>['results'][number]

interface PicturePart {
  readonly type: 'file'
  readonly mediaType: string
  readonly data: { readonly type: 'data'; readonly data: Uint8Array }
}

/**
 * The transcript in the AI SDK's form, with pictures where the provider accepts them. A message
 * without text, calls and pictures is left out, because providers refuse empty messages.
 */
export function providerMessages(
  messages: readonly ModelMessage[],
  place: PicturePlace,
): ProviderMessage[] {
  return messages.flatMap((message): ProviderMessage[] => {
    switch (message.role) {
      case 'user':
        return userMessage(message, place)
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
              output: outputOf(result, place),
            })),
          },
          ...(place.where === 'message' ? picturesAfter(message.results, place) : []),
        ]
    }
  })
}

/** Providers accept only text in errors. */
function outputOf(result: Result, place: PicturePlace): ToolResultPart['output'] {
  const { text, isError } = result
  if (isError) return { type: 'error-text', value: text }
  const pictures = place.where === 'result' ? picturesFor(result.pictures, place) : []
  if (pictures.length === 0) return { type: 'text', value: text }
  const words = text === '' ? [] : [{ type: 'text' as const, text }]
  return { type: 'content', value: [...words, ...pictures] }
}

/**
 * For a provider that accepts no pictures in results: a message right after them, which says that
 * no person sent the pictures.
 */
function picturesAfter(results: readonly Result[], place: PicturePlace): ProviderMessage[] {
  const parts = results.flatMap((result) => {
    const pictures = result.isError ? [] : picturesFor(result.pictures, place)
    if (pictures.length === 0) return []
    const what = `What the call ${result.id} of ${result.tool} returned holds ${pictures.length} of the pictures below. They are data of the tool; no person sent them.`
    return [{ type: 'text' as const, text: what }, ...pictures]
  })
  return parts.length === 0 ? [] : [{ role: 'user', content: parts }]
}

/**
 * The message says that a picture is missing if the model does not accept it, because the text may
 * refer to it.
 */
function userMessage(
  { text: words, pictures: all = [] }: Extract<ModelMessage, { role: 'user' }>,
  place: PicturePlace,
): ProviderMessage[] {
  const pictures = picturesFor(all, place)
  const missing = all.length - pictures.length
  const note = `[${missing} of the pictures of this message cannot be shown to this model.]`
  const text = missing === 0 ? words : `${words}\n${note}`
  if (pictures.length === 0) return text === '' ? [] : [{ role: 'user', content: text }]
  const texts = text === '' ? [] : [{ type: 'text' as const, text }]
  return [{ role: 'user', content: [...texts, ...pictures] }]
}

function picturesFor(
  pictures: readonly ModelPicture[] | undefined,
  { types }: PicturePlace,
): PicturePart[] {
  return (pictures ?? [])
    .filter(({ mediaType }) => types.includes(mediaType))
    .map(({ mediaType, bytes }) => ({
      type: 'file',
      mediaType,
      data: { type: 'data', data: bytes },
    }))
}

function assistantMessage(text: string, calls: readonly ModelCall[]): ProviderMessage[] {
  if (text === '' && calls.length === 0) return []
  const texts = text === '' ? [] : [{ type: 'text' as const, text }]
  const called = calls.map((call) => ({
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.tool,
    input: asObject(call.input),
  }))
  return [{ role: 'assistant', content: [...texts, ...called] }]
}

/** Providers accept only objects: the model sees any other value wrapped. */
function asObject(input: Json | InvalidInput): JsonObject {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
    return { ...input }
  }
  return { value: input }
}

/** Where a provider accepts the pictures of tools' results, and of which types. */
export interface PicturePlace {
  /**
   * `result`: in the result itself; `message`: in a message after the results; `nowhere`: results
   * are text alone
   */
  readonly where: 'result' | 'message' | 'nowhere'
  readonly types: readonly PictureType[]
}

const common: readonly PictureType[] = ['image/png', 'image/jpeg', 'image/webp']

/** For a model that sees no pictures. */
export const noPictures: PicturePlace = { where: 'nowhere', types: [] }

/**
 * Chat completions have no pictures in results: servers of that format refuse them, and many models
 * behind them see none. They get text, unless the configuration says that the model sees pictures.
 */
export function picturePlaceOf(provider: ModelProvider, seesPictures: boolean): PicturePlace {
  if (!seesPictures) return noPictures
  switch (provider) {
    case 'anthropic':
    case 'openai':
    case 'azure':
    case 'bedrock':
      return { where: 'result', types: pictureTypes }
    case 'google':
    case 'vertex':
      return { where: 'result', types: common }
    case 'openai-compatible':
      return { where: 'message', types: common }
  }
}
