import type { ModelProvider } from '#domain/model-provider.ts'
import type { ModelEndpoint } from '#policy/model-settings.ts'

/** Variables from the service's own environment and the project's `.env`. */
export type ModelEnvironment = Readonly<Record<string, string | undefined>>

/** What a provider is called with. */
export interface ProviderSettings {
  readonly apiKey: string | null
  /** `null`: the provider's own address */
  readonly baseUrl: string | null
  /** the required variable that is not set */
  readonly missing: string | null
  /** whether its models see pictures, where that has to be configured */
  readonly seesPictures: boolean
  /** keys and their substitutes, which no message may contain */
  readonly secret: string | null
  /** azure: the resource whose host is called */
  readonly resourceName: string | null
  /** bedrock, unless it is called with a key */
  readonly aws: {
    readonly region: string | null
    readonly accessKeyId: string | null
    readonly secretAccessKey: string | null
    readonly sessionToken: string | null
  }
  /** vertex, unless it is called with a key */
  readonly googleCloud: {
    readonly project: string | null
    readonly location: string | null
    readonly credentialsFile: string | null
  }
}

/** The AI SDK's own variables where it has some. */
const keys: Readonly<Record<ModelProvider, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  azure: 'AZURE_API_KEY',
  bedrock: 'AWS_BEARER_TOKEN_BEDROCK',
  vertex: 'GOOGLE_VERTEX_API_KEY',
  'openai-compatible': 'OPENAI_COMPATIBLE_API_KEY',
}
const baseUrls: Readonly<Record<ModelProvider, string>> = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  google: 'GOOGLE_GENERATIVE_AI_BASE_URL',
  azure: 'AZURE_BASE_URL',
  bedrock: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME',
  vertex: 'GOOGLE_VERTEX_BASE_URL',
  'openai-compatible': 'OPENAI_COMPATIBLE_BASE_URL',
}

/** The settings of a provider at its own address, from the environment. */
export function providerSettings(
  provider: ModelProvider,
  environment: ModelEnvironment,
): ProviderSettings {
  const value = (name: string): string | null => environment[name]?.trim() || null
  const apiKey = value(keys[provider])
  const secretAccessKey = value('AWS_SECRET_ACCESS_KEY')
  return {
    apiKey,
    baseUrl: value(baseUrls[provider]),
    missing:
      neededBy(provider).find((choices) => choices.every((name) => value(name) === null))?.[0] ??
      null,
    seesPictures:
      provider !== 'openai-compatible' || environment['OPENAI_COMPATIBLE_PICTURES'] === 'true',
    secret: apiKey ?? (provider === 'bedrock' ? secretAccessKey : null),
    resourceName: value('AZURE_RESOURCE_NAME'),
    aws: {
      region: value('AWS_REGION'),
      accessKeyId: value('AWS_ACCESS_KEY_ID'),
      secretAccessKey,
      sessionToken: value('AWS_SESSION_TOKEN'),
    },
    googleCloud: {
      project: value('GOOGLE_VERTEX_PROJECT'),
      location: value('GOOGLE_VERTEX_LOCATION'),
      credentialsFile: value('GOOGLE_APPLICATION_CREDENTIALS'),
    },
  }
}

/**
 * The settings of an endpoint of countersign.yaml. Its address and key are its own, so no other
 * provider's key is sent there.
 */
export function endpointSettings(
  endpoint: ModelEndpoint,
  environment: ModelEnvironment,
): ProviderSettings {
  const { provider, baseUrl, apiKeyFrom, pictures } = endpoint
  const apiKey = apiKeyFrom === null ? null : environment[apiKeyFrom]?.trim() || null
  const isMissing = apiKeyFrom !== null && apiKey === null
  return {
    ...providerSettings(provider, {}),
    apiKey,
    baseUrl,
    missing: isMissing ? apiKeyFrom : null,
    seesPictures: pictures,
    secret: apiKey,
  }
}

/** The variables that a call requires: one of each list, or the list's first if none is set. */
function neededBy(provider: ModelProvider): readonly (readonly string[])[] {
  switch (provider) {
    case 'openai-compatible':
      return [[baseUrls[provider]]]
    case 'azure':
      return [[keys.azure], ['AZURE_RESOURCE_NAME', baseUrls.azure]]
    case 'bedrock':
      return [
        [keys.bedrock, 'AWS_ACCESS_KEY_ID'],
        [keys.bedrock, 'AWS_SECRET_ACCESS_KEY'],
        ['AWS_REGION', baseUrls.bedrock],
      ]
    case 'vertex':
      return [
        ['GOOGLE_VERTEX_PROJECT', keys.vertex],
        ['GOOGLE_VERTEX_LOCATION', keys.vertex],
      ]
    default:
      return [[keys[provider]]]
  }
}
