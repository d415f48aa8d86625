import type { PictureType } from '#domain/tools/picture-type.ts'
import type { ProjectConfig } from '#policy/project-config.ts'
import { endpointOf } from '#policy/worker/model-entry.ts'
import { parseModelName } from '#policy/worker/model-name.ts'
import { picturePlaceOf } from './provider-messages.ts'

/**
 * The types of pictures that a worker's model accepts, by countersign.yaml and its provider.
 * `null`: only the environment of its host says so, or it is a script, which sees no pictures.
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
