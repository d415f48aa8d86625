/** What one run may use until somebody sends it a message, within the limits of its worker. */
export interface RunBudget {
  readonly turns?: number
  /** of input and output together */
  readonly tokens?: number
  /** by the price of its model */
  readonly costUsd?: number
}

/** The limits of a budget; `costUsd` `null`: as much as its tokens cost. */
export interface BudgetLimits {
  readonly turns: number
  readonly tokens: number
  readonly costUsd: number | null
}

/** The first part of a budget that exceeds a limit; `null`: none does. */
export function aboveLimits(budget: RunBudget, limits: BudgetLimits): keyof RunBudget | null {
  if (budget.turns !== undefined && budget.turns > limits.turns) return 'turns'
  if (budget.tokens !== undefined && budget.tokens > limits.tokens) return 'tokens'
  const maxCostUsd = limits.costUsd ?? Infinity
  return budget.costUsd !== undefined && budget.costUsd > maxCostUsd ? 'costUsd' : null
}

/** The limits of a run: its worker's, each reduced to its budget. */
export function withBudget<Limits extends BudgetLimits>(
  limits: Limits,
  budget: RunBudget | null,
): Limits {
  const costUsd = Math.min(limits.costUsd ?? Infinity, budget?.costUsd ?? Infinity)
  return {
    ...limits,
    turns: Math.min(limits.turns, budget?.turns ?? Infinity),
    tokens: Math.min(limits.tokens, budget?.tokens ?? Infinity),
    costUsd: Number.isFinite(costUsd) ? costUsd : null,
  }
}
