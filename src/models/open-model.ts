import type { ProjectConfig } from '#policy/project-config.ts'
import type { WorkerModelSettings } from '#policy/model-settings.ts'
import { endpointOf } from '#policy/worker/model-entry.ts'
import { parseModelName } from '#policy/worker/model-name.ts'
import { ModelProblem, type Model } from './model.ts'
import { endpointSettings, providerSettings, type ModelEnvironment } from './provider-settings.ts'
import { scriptedModel } from './scripted-model.ts'

/** A step is given up and tried again when its provider sends nothing for this time. */
const silenceTimeoutMs = 280_000
/** A step that takes longer is given up too, a little before the activity's own time limit. */
const stepTimeoutMs = 14 * 60_000

/**
 * Opens the model that a worker file names: `provider:model`, or `script:path` with the script's
 * text. It calls nothing; a missing key is a `ModelProblem` of the first step. Throws a
 * `ModelProblem` for an invalid name and for an endpoint that no longer exists.
 * @example openModel({ model: 'anthropic:claude-sonnet-5-5', script: null, settings, models,
 * environment: { ANTHROPIC_API_KEY: '…' } })
 */
export function openModel(options: {
  readonly model: string
  readonly script: string | null
  readonly settings: WorkerModelSettings
  /** of countersign.yaml: the endpoints are among them */
  readonly models: ProjectConfig['models']
  readonly environment: ModelEnvironment
  readonly timeoutMs?: number
  readonly totalTimeoutMs?: number
}): Model {
  const name = parseModelName(options.model)
  const endpoint = endpointOf(options, options.model)
  const isKnown = name !== null && (name.kind !== 'endpoint' || endpoint !== null)
  if (!isKnown || (name.kind === 'script' && options.script === null)) {
    throw new ModelProblem(`There is no model ${options.model.slice(0, 200)}.`, {
      isRetryable: false,
    })
  }
  if (name.kind === 'script') return scriptedModel(options.script ?? '')
  const { environment, settings } = options
  const place =
    name.kind === 'provider'
      ? { provider: name.provider, connection: providerSettings(name.provider, environment) }
      : endpoint === null
        ? null
        : { provider: endpoint.provider, connection: endpointSettings(endpoint, environment) }
  if (place === null) throw new Error('The model names an endpoint that is not configured')
  const provided = {
    ...place,
    name: options.model,
    id: name.id,
    settings,
    timeoutMs: options.timeoutMs ?? silenceTimeoutMs,
    totalTimeoutMs: options.totalTimeoutMs ?? stepTimeoutMs,
  }
  return {
    isScripted: false,
    async step(request) {
      // The AI SDK is loaded with the first step: a Temporal worker starts sooner without it.
      const { providerModel } = await import('./provider-model.ts')
      return providerModel(provided).step(request)
    },
  }
}
