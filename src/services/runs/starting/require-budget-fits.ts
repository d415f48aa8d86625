import { Problem } from '#domain/problem.ts'
import { aboveLimits, type RunBudget } from '#domain/runs/run-budget.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { priceOf } from '#policy/worker/price-of.ts'

/**
 * Throws `invalid_request`, which names the field, for a budget above the worker's limits, and for
 * one in USD for a model without a price.
 */
export function requireBudgetFits(
  { config }: Pick<Policy, 'config'>,
  worker: WorkerDefinition,
  budget: RunBudget | undefined,
): void {
  if (budget === undefined) return
  const above = aboveLimits(budget, worker.limits)
  if (above !== null) {
    const text = `budget.${above} is above the limit of ${worker.name}, ${worker.limits[above]}`
    throw new Problem('invalid_request', text, { field: `budget.${above}` })
  }
  if (budget.costUsd === undefined || priceOf(config, worker.model) !== null) return
  const text = `budget.costUsd needs the price of ${worker.model} (models in countersign.yaml)`
  throw new Problem('invalid_request', text, { field: 'budget.costUsd' })
}
