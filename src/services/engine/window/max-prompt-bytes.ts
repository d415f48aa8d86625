import { estimatedTokensPerByte } from '#domain/runs/window.ts'

/** The provider's token count of the last step of a run, and the size of that step's prompt. */
export interface CountedPrompt {
  readonly inputTokens: number
  readonly promptBytes: number
}

/** A count outside of this range cannot be of this prompt. */
const [leastTokensPerByte, maxTokensPerByte] = [0.2, 1]

/** Tokens for an answer, unless the worker sets another number. */
const answerTokens = 8192

/** The prompt gets at least this share of what a model takes. */
const leastForPrompt = 0.75

/**
 * How many bytes a prompt may have: what the model takes minus its answer, by the provider's count
 * of the previous step.
 */
export function maxPromptBytes(of: {
  readonly contextTokens: number
  readonly maxOutputTokens: number | null
  readonly lastPrompt: CountedPrompt | null
}): number {
  const answer = Math.min(
    of.maxOutputTokens ?? answerTokens,
    of.contextTokens * (1 - leastForPrompt),
  )
  return (of.contextTokens - answer) / measuredTokensPerByte(of.lastPrompt)
}

function measuredTokensPerByte(lastPrompt: CountedPrompt | null): number {
  if (lastPrompt === null) return estimatedTokensPerByte
  const measured = lastPrompt.inputTokens / lastPrompt.promptBytes
  return Math.min(maxTokensPerByte, Math.max(leastTokensPerByte, measured))
}
