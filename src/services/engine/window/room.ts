import { estimatedTokensPerByte } from '#domain/runs/window.ts'

/** What the provider counted of the last step of a run, with what that step was sent. */
export interface CountedPrompt {
  readonly inputTokens: number
  readonly promptBytes: number
}

/** A provider that counts less or more does not count what it was sent. */
const [leastTokensPerByte, mostTokensPerByte] = [0.2, 1]

/** What an answer may take, unless the worker says so itself, in tokens. */
const answerTokens = 8192

/** At least so much of what a model takes is for its prompt. */
const leastForPrompt = 0.75

/**
 * How many bytes a prompt may have: what the model takes without its answer, by what the provider
 * counted of the step before.
 */
export function roomBytes(of: {
  readonly contextTokens: number
  readonly maxOutputTokens: number | null
  readonly counted: CountedPrompt | null
}): number {
  const answer = Math.min(
    of.maxOutputTokens ?? answerTokens,
    of.contextTokens * (1 - leastForPrompt),
  )
  return (of.contextTokens - answer) / measuredTokensPerByte(of.counted)
}

function measuredTokensPerByte(counted: CountedPrompt | null): number {
  if (counted === null) return estimatedTokensPerByte
  const measured = counted.inputTokens / counted.promptBytes
  return Math.min(mostTokensPerByte, Math.max(leastTokensPerByte, measured))
}
