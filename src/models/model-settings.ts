import type { ModelProvider } from '#policy/worker/model-name.ts'

/** Variables from the service's own environment and the project's `.env`. */
export type ModelEnvironment = Readonly<Record<string, string | undefined>>

/** Where a provider's settings come from: the AI SDK's own variables. */
export interface ProviderVariables {
  readonly key: string
  readonly baseUrl: string
  /** absent: the provider's models see */
  readonly pictures?: string
  /** what a call cannot be made without */
  readonly needs: 'key' | 'baseUrl'
}

const variables: Readonly<Record<ModelProvider, ProviderVariables>> = {
  anthropic: { key: 'ANTHROPIC_API_KEY', baseUrl: 'ANTHROPIC_BASE_URL', needs: 'key' },
  openai: { key: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL', needs: 'key' },
  google: {
    key: 'GOOGLE_GENERATIVE_AI_API_KEY',
    baseUrl: 'GOOGLE_GENERATIVE_AI_BASE_URL',
    needs: 'key',
  },
  'openai-compatible': {
    key: 'OPENAI_COMPATIBLE_API_KEY',
    baseUrl: 'OPENAI_COMPATIBLE_BASE_URL',
    pictures: 'OPENAI_COMPATIBLE_PICTURES',
    needs: 'baseUrl',
  },
}

export interface ProviderSettings {
  readonly apiKey: string | null
  readonly baseUrl: string | null
  /** the variable that is needed and not set */
  readonly missing: string | null
  /** whether its models get pictures, where that has to be configured */
  readonly seesPictures: boolean
}

/** What a provider is called with. */
export function providerSettings(
  provider: ModelProvider,
  environment: ModelEnvironment,
): ProviderSettings {
  const names = variables[provider]
  const apiKey = environment[names.key]?.trim() || null
  const baseUrl = environment[names.baseUrl]?.trim() || null
  const isMissing = (names.needs === 'key' ? apiKey : baseUrl) === null
  const seesPictures = names.pictures === undefined || environment[names.pictures] === 'true'
  return { apiKey, baseUrl, missing: isMissing ? names[names.needs] : null, seesPictures }
}
