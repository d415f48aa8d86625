import type { ModelEndpoint, ModelSetting } from '../model-settings.ts'
import type { ProjectConfig } from '../project-config.ts'

type Models = Pick<ProjectConfig, 'models'>

/**
 * The entries of countersign.yaml for a worker's model, the most specific first: under its whole
 * name, under its name without the provider, and of its endpoint.
 */
export function modelEntries(config: Models, model: string): readonly ModelSetting[] {
  const colon = model.indexOf(':')
  const names = [model, model.slice(colon + 1), model.slice(0, Math.max(0, colon))]
  return names.flatMap((name) => config.models.get(name) ?? [])
}

/** The named endpoint of a model; `null`: its provider's own. */
export function endpointOf(config: Models, model: string): ModelEndpoint | null {
  return config.models.get(model.slice(0, Math.max(0, model.indexOf(':'))))?.endpoint ?? null
}
