import type { EndpointProvider, ReasoningEffort } from '#domain/model-provider.ts'

/** What countersign.yaml says of a model. */
export interface ModelSetting {
  readonly price: ModelPrice | null
  /** how many tokens it takes; `null`: what is known of it */
  readonly context: number | null
  /** where models are asked as `NAME:MODEL`; `null`: the entry is of a model */
  readonly endpoint: ModelEndpoint | null
}

/** An address of its own at which a provider's protocol is spoken. */
export interface ModelEndpoint {
  readonly provider: EndpointProvider
  /** `null`: the provider's own */
  readonly baseUrl: string | null
  /** the environment variable that holds the key; `null`: it takes none, or the provider's own */
  readonly apiKeyFrom: string | null
  /** whether its models see pictures */
  readonly pictures: boolean
  readonly source: string
}

/** How a worker's model is asked; `null`: as the provider does it. */
export interface WorkerModelSettings {
  readonly temperature: number | null
  /** the most that one answer may have, in tokens */
  readonly maxOutputTokens: number | null
  readonly reasoning: ReasoningEffort | null
  /** whether providers are told what of a prompt to keep for the next step */
  readonly cache: boolean
}

/** In USD for a million tokens. */
export interface ModelPrice {
  readonly input: number
  /** of tokens that the provider read from its cache */
  readonly cachedInput: number
  readonly output: number
}
