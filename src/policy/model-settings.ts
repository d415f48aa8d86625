import type { EndpointProvider, ReasoningEffort } from '#domain/model-provider.ts'

/** The settings of a model in countersign.yaml. */
export interface ModelSetting {
  readonly price: ModelPrice | null
  /** how many tokens it takes; `null`: as built in */
  readonly context: number | null
  /** the endpoint of models `NAME:MODEL`; `null`: the entry is about a model */
  readonly endpoint: ModelEndpoint | null
}

/** An endpoint of its own for a provider's protocol. */
export interface ModelEndpoint {
  readonly provider: EndpointProvider
  /** `null`: the provider's own */
  readonly baseUrl: string | null
  /** the environment variable with the key; `null`: none is needed, or the provider's own */
  readonly apiKeyFrom: string | null
  /** whether its models see pictures */
  readonly pictures: boolean
  readonly source: string
}

/** The settings of a worker's model; `null`: the provider's defaults. */
export interface WorkerModelSettings {
  readonly temperature: number | null
  /** the most that one answer may have, in tokens */
  readonly maxOutputTokens: number | null
  readonly reasoning: ReasoningEffort | null
  /** whether providers are told which part of a prompt to cache for the next step */
  readonly cache: boolean
}

/** In USD for a million tokens. */
export interface ModelPrice {
  readonly input: number
  /** of tokens that the provider read from its cache */
  readonly cachedInput: number
  readonly output: number
}
