import type { ModelMessage, SystemModelMessage } from 'ai'
import type { ModelProvider } from '#domain/model-provider.ts'

/** Marks up to where a provider caches the prompt. Other providers cache by themselves. */
export type CachePoint = NonNullable<SystemModelMessage['providerOptions']>

const anthropicPoint: CachePoint = { anthropic: { cacheControl: { type: 'ephemeral' } } }
const bedrockPoint: CachePoint = { bedrock: { cachePoint: { type: 'default' } } }

/** How to tell a model where to cache; `null`: not at all, as for most of Bedrock's. */
export function cachePointOf(provider: ModelProvider, id: string): CachePoint | null {
  if (provider === 'anthropic') return anthropicPoint
  return provider === 'bedrock' && /(?:^|\.)anthropic\./.test(id) ? bedrockPoint : null
}

/**
 * The instructions, marked as the end of the part that every step of a run begins with. They follow
 * the tools.
 */
export function cachedInstructions(text: string, point: CachePoint): SystemModelMessage {
  return { role: 'system', content: text, providerOptions: point }
}

/**
 * The messages with cache points: at the end, where the next step continues, and where the previous
 * step ended, whose cache this step reads. A step may add more blocks than Anthropic searches for a
 * cache point by itself (20).
 */
export function withCachePoints(
  messages: readonly ModelMessage[],
  point: CachePoint,
): ModelMessage[] {
  const last = messages.length - 1
  const before = messages.findLastIndex(({ role }) => role === 'assistant') - 1
  return messages.map((message, index) =>
    index === last || index === before ? { ...message, providerOptions: point } : message,
  )
}
