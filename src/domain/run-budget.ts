/** What one run may use until somebody writes to it again, below the limits of its worker. */
export interface RunBudget {
  readonly turns?: number
  /** of input and output together */
  readonly tokens?: number
}

/** The first part of a budget that is above a limit; `null`: none is. */
export function aboveLimits(
  budget: RunBudget,
  limits: Required<RunBudget>,
): keyof RunBudget | null {
  if (budget.turns !== undefined && budget.turns > limits.turns) return 'turns'
  return budget.tokens !== undefined && budget.tokens > limits.tokens ? 'tokens' : null
}

/** The limits of a run: its worker's, each as low as its budget has it. */
export function withBudget<Limits extends Required<RunBudget>>(
  limits: Limits,
  budget: RunBudget | null,
): Limits {
  return {
    ...limits,
    turns: Math.min(limits.turns, budget?.turns ?? Infinity),
    tokens: Math.min(limits.tokens, budget?.tokens ?? Infinity),
  }
}
