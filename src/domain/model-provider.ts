/** Whose protocol a model is asked in, as a worker's `model` begins. */
export const modelProviders = [
  'anthropic',
  'openai',
  'google',
  'azure',
  'bedrock',
  'vertex',
  'openai-compatible',
] as const
export type ModelProvider = (typeof modelProviders)[number]

/** Providers of which a project may have several addresses, each under a name of its own. */
export const endpointProviders = ['anthropic', 'openai', 'google', 'openai-compatible'] as const
export type EndpointProvider = (typeof endpointProviders)[number]

/** How much a model thinks before it answers, where it can be told. */
export const reasoningEfforts = ['none', 'low', 'medium', 'high'] as const
export type ReasoningEffort = (typeof reasoningEfforts)[number]
