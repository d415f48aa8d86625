import type { ModelPrice, ProjectConfig } from '../policy.ts'

/**
 * What a worker's model costs by countersign.yaml, where it is named with or without its provider;
 * `null` when nothing is said.
 */
export function priceOf(config: Pick<ProjectConfig, 'models'>, model: string): ModelPrice | null {
  const own = model.slice(model.indexOf(':') + 1)
  return config.models.get(model)?.price ?? config.models.get(own)?.price ?? null
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
