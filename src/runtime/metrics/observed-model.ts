import type { Model, ModelUsage } from '#models/model.ts'
import type { ModelProvider } from '#domain/model-provider.ts'
import { endpointOf } from '#policy/worker/model-entry.ts'
import { parseModelName } from '#policy/worker/model-name.ts'
import type { ProjectConfig } from '#policy/project-config.ts'
import { errorTypeOf } from './error-type.ts'

/** A step of a model that has ended, in the words of OpenTelemetry's conventions (`gen_ai.*`). */
export interface EndedStep {
  readonly runId: string
  readonly provider: string
  readonly model: string
  /** as the provider names it; absent: it failed, or the name could not be written safely */
  readonly responseModel?: string | undefined
  /** in ms of the epoch */
  readonly startMs: number
  readonly endMs: number
  /** null: it failed */
  readonly usage: ModelUsage | null
  readonly error: string | null
}

/** The `gen_ai.provider.name` of each protocol. */
const providerNames: Readonly<Record<ModelProvider, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'gcp.gemini',
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  vertex: 'gcp.vertex_ai',
  'openai-compatible': 'openai-compatible',
}

/** The provider writes it, so only a name is kept. */
const safeName = /^[\w.:/@-]{1,100}$/

/** The same model; `onEnd` gets each of its steps, also those that fail. */
export function observedModel(
  model: Model,
  of: { readonly name: string; readonly config: Pick<ProjectConfig, 'models'> },
  onEnd: (step: EndedStep) => void,
): Model {
  const names = namesOf(of.name, of.config)
  return {
    isScripted: model.isScripted,
    async step(request) {
      const startMs = Date.now()
      const end = (outcome: Pick<EndedStep, 'usage' | 'error' | 'responseModel'>): void =>
        onEnd({ ...names, runId: request.runId, startMs, endMs: Date.now(), ...outcome })
      try {
        const answer = await model.step(request)
        const { usage, responseModel = '' } = answer
        end({ usage, error: null, ...(safeName.test(responseModel) ? { responseModel } : {}) })
        return answer
      } catch (error) {
        const type = request.signal.aborted ? 'cancelled' : errorTypeOf(error)
        end({ usage: null, error: type })
        throw error
      }
    },
  }
}

function namesOf(name: string, config: Pick<ProjectConfig, 'models'>) {
  const modelName = parseModelName(name)
  if (modelName === null || modelName.kind === 'script') return { provider: 'script', model: name }
  const protocol =
    modelName.kind === 'provider' ? modelName.provider : endpointOf(config, name)?.provider
  return { provider: providerNames[protocol ?? 'openai-compatible'], model: modelName.id }
}
