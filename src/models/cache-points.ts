import type { ModelMessage, SystemModelMessage } from 'ai'

/** Marks a place up to which Anthropic keeps what it has read. Other providers do so unasked. */
const cachePoint = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const

/** Instructions as the end of what every step of a run begins with: they follow its tools. */
export function cachedInstructions(text: string): SystemModelMessage {
  return { role: 'system', content: text, providerOptions: cachePoint }
}

/**
 * The messages with cache points: at the end, where the next step goes on, and where the step
 * before this one ended, whose point this step reads. A step may add more blocks than Anthropic
 * looks back for a point by itself (20).
 */
export function withCachePoints(messages: readonly ModelMessage[]): ModelMessage[] {
  const last = messages.length - 1
  const before = messages.findLastIndex(({ role }) => role === 'assistant') - 1
  return messages.map((message, index) =>
    index === last || index === before ? { ...message, providerOptions: cachePoint } : message,
  )
}
