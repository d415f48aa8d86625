import { defaultContextTokens } from '#domain/runs/window.ts'
import type { ProjectConfig } from '../project-config.ts'
import { endpointOf, modelEntries } from './model-entry.ts'

/**
 * How many tokens a worker's model takes, by countersign.yaml (with or without its provider, or by
 * its endpoint), else by the built-in table; 32,768 for an unknown model.
 * @example contextOf(config, 'anthropic:claude-sonnet-5-5') // 200000
 */
export function contextOf(config: Pick<ProjectConfig, 'models'>, model: string): number {
  const configured = modelEntries(config, model).find(({ context }) => context !== null)?.context
  const provider = endpointOf(config, model)?.provider
  const name = provider === undefined ? model : provider + model.slice(model.indexOf(':'))
  const tokens = contextSizes.find(([beginning]) => name.startsWith(beginning))?.[1]
  return configured ?? tokens ?? defaultContextTokens
}

/**
 * How many tokens models take, by the beginning of their names; the first match counts. Where a
 * provider has separate bounds for input and output, this is the input. Other models need an entry
 * in countersign.yaml (`models`).
 */
const contextSizes: readonly (readonly [beginning: string, tokens: number])[] = [
  ['anthropic:claude-', 200_000],
  ['openai:gpt-5', 272_000],
  ['openai:gpt-4.1', 1_047_576],
  ['openai:gpt-4o', 128_000],
  ['openai:gpt-4-turbo', 128_000],
  ['openai:gpt-4', 8_192],
  ['openai:gpt-3.5', 16_385],
  ['openai:o', 200_000],
  ['google:gemini-', 1_048_576],
  ['google:gemma-3', 131_072],
]
