import type { PictureType } from '#domain/tools/picture-type.ts'
import type { ProjectConfig } from '#policy/project-config.ts'
import { endpointOf } from '#policy/worker/model-entry.ts'
import { parseModelName } from '#policy/worker/model-name.ts'
import { picturePlaceOf } from './provider-messages.ts'

/**
 * The types of pictures that a worker's model is shown, as far as countersign.yaml and its provider
 * say; `null`: only the environment of its host does, or it is a script, which looks at nothing.
 */
export function pictureTypesOf(
  config: Pick<ProjectConfig, 'models'>,
  model: string,
): readonly PictureType[] | null {
  const name = parseModelName(model)
  const endpoint = endpointOf(config, model)
  if (endpoint !== null) return picturePlaceOf(endpoint.provider, endpoint.pictures).types
  if (name?.kind !== 'provider' || name.provider === 'openai-compatible') return null
  return picturePlaceOf(name.provider, true).types
}
