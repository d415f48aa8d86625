import { defaultContextTokens } from '#domain/runs/window.ts'
import type { ProjectConfig } from '../project-config.ts'
import { knownContexts } from './known-contexts.ts'
import { endpointOf, modelEntries } from './model-entry.ts'

/**
 * How many tokens a worker's model takes, as countersign.yaml says (with or without its provider,
 * or of its endpoint), else as is known of it; 32,768 for one that nobody knows.
 *
 * @example contextOf(config, 'anthropic:claude-sonnet-5-5') // 200000
 */
export function contextOf(config: Pick<ProjectConfig, 'models'>, model: string): number {
  const configured = modelEntries(config, model).find(({ context }) => context !== null)?.context
  const provider = endpointOf(config, model)?.provider
  const name = provider === undefined ? model : provider + model.slice(model.indexOf(':'))
  const known = knownContexts.find(([beginning]) => name.startsWith(beginning))?.[1]
  return configured ?? known ?? defaultContextTokens
}
