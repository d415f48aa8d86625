/** The protocols of models, with which a worker's `model` begins. */
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

/** Providers of which a project may have several endpoints, each with a name of its own. */
export const endpointProviders = ['anthropic', 'openai', 'google', 'openai-compatible'] as const
export type EndpointProvider = (typeof endpointProviders)[number]

/** How much a model thinks before it answers, for models with such a setting. */
export const reasoningEfforts = ['none', 'low', 'medium', 'high'] as const
export type ReasoningEffort = (typeof reasoningEfforts)[number]
