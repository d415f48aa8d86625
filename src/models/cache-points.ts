import type { ModelMessage, SystemModelMessage } from 'ai'
import type { ModelProvider } from '#domain/model-provider.ts'

/** Marks a place up to which a provider keeps what it has read. Others do so unasked. */
export type CachePoint = NonNullable<SystemModelMessage['providerOptions']>

const anthropicPoint: CachePoint = { anthropic: { cacheControl: { type: 'ephemeral' } } }
const bedrockPoint: CachePoint = { bedrock: { cachePoint: { type: 'default' } } }

/** How a model is told where to cache; `null`: it is not. Bedrock refuses points of most models. */
export function cachePointOf(provider: ModelProvider, id: string): CachePoint | null {
  if (provider === 'anthropic') return anthropicPoint
  return provider === 'bedrock' && /(?:^|\.)anthropic\./.test(id) ? bedrockPoint : null
}

/** Instructions as the end of what every step of a run begins with: they follow its tools. */
export function cachedInstructions(text: string, point: CachePoint): SystemModelMessage {
  return { role: 'system', content: text, providerOptions: point }
}

/**
 * The messages with cache points: at the end, where the next step goes on, and where the step
 * before this one ended, whose point this step reads. A step may add more blocks than Anthropic
 * looks back for a point by itself (20).
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
