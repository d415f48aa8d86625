import { defaultContextTokens } from '#domain/window.ts'
import type { ProjectConfig } from '../policy.ts'
import { knownContexts } from './known-contexts.ts'

/**
 * How many tokens a worker's model takes, as countersign.yaml says (with or without its provider),
 * else as is known of it; 32,768 for one that nobody knows.
 *
 * @example contextOf(config, 'anthropic:claude-sonnet-5-5') // 200000
 */
export function contextOf(config: Pick<ProjectConfig, 'models'>, model: string): number {
  const own = model.slice(model.indexOf(':') + 1)
  const configured = config.models.get(model)?.context ?? config.models.get(own)?.context
  const known = knownContexts.find(([beginning]) => model.startsWith(beginning))?.[1]
  return configured ?? known ?? defaultContextTokens
}
