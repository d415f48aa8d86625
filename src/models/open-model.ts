import { parseModelName } from '#policy/worker/model-name.ts'
import { ModelProblem, type Model } from './model.ts'
import type { ModelEnvironment } from './model-settings.ts'
import { providerModel } from './provider-model.ts'
import { scriptedModel } from './scripted-model.ts'

/** A step whose provider sends nothing for so long is given up and tried again. */
const silenceTimeoutMs = 280_000
/** A step that takes longer is given up too: a little before the activity's own time is over. */
const stepTimeoutMs = 14 * 60_000

/**
 * The model that a worker file names: `provider:model`, or `script:path` with the script's text.
 * Nothing is called yet; a missing key is a `ModelProblem` of the first step. Throws a
 * `ModelProblem` when the name is none.
 *
 * @example openModel({ model: 'anthropic:claude-sonnet-5-5', script: null, environment: {
 * ANTHROPIC_API_KEY: '…' } })
 */
export function openModel(options: {
  readonly model: string
  readonly script: string | null
  readonly environment: ModelEnvironment
  readonly timeoutMs?: number
  readonly totalTimeoutMs?: number
}): Model {
  const name = parseModelName(options.model)
  if (name === null || (name.kind === 'script' && options.script === null)) {
    throw new ModelProblem(`There is no model ${options.model.slice(0, 200)}.`, {
      retryable: false,
    })
  }
  if (name.kind === 'script') return scriptedModel(options.script ?? '')
  const { provider, id } = name
  return providerModel({
    provider,
    id,
    environment: options.environment,
    timeoutMs: options.timeoutMs ?? silenceTimeoutMs,
    totalTimeoutMs: options.totalTimeoutMs ?? stepTimeoutMs,
  })
}
