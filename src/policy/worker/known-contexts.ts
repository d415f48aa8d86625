/**
 * How many tokens the models of providers take, by the beginning of their names; the first that
 * fits counts. Where a provider bounds input and output apart, this is the input. What is not here
 * has to be said in countersign.yaml (`models`).
 */
export const knownContexts: readonly (readonly [beginning: string, tokens: number])[] = [
  ['anthropic:claude-', 200_000],
  ['openai:gpt-5', 272_000],
  ['openai:gpt-4.1', 1_047_576],
  ['openai:gpt-4o', 128_000],
  ['openai:gpt-4-turbo', 128_000],
  ['openai:gpt-4', 8_192],
  ['openai:gpt-3.5', 16_385],
  ['openai:o', 200_000],
  ['google:gemini-', 1_048_576],
  ['google:gemma-3', 131_072],
]
