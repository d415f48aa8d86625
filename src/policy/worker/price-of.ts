import type { ModelPrice } from '../model-settings.ts'
import type { ProjectConfig } from '../project-config.ts'
import { modelEntries } from './model-entry.ts'

/** The price of a worker's model, with or without its provider's name; `null`: none. */
export function priceOf(config: Pick<ProjectConfig, 'models'>, model: string): ModelPrice | null {
  return modelEntries(config, model).find(({ price }) => price !== null)?.price ?? null
}

/** What a step cost, in USD. */
export function costOf(
  price: ModelPrice,
  usage: {
    readonly inputTokens: number
    readonly cachedInputTokens?: number
    readonly outputTokens: number
  },
): number {
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens)
  const input = (usage.inputTokens - cached) * price.input + cached * price.cachedInput
  return (input + usage.outputTokens * price.output) / 1_000_000
}
