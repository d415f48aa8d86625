import { Problem } from '#domain/problem.ts'
import { aboveLimits, type RunBudget } from '#domain/run-budget.ts'
import type { WorkerDefinition } from '#policy/policy.ts'

/** Rejects a budget above the worker's limits with `invalid_request`, which names the field. */
export function requireBudgetFits(worker: WorkerDefinition, budget: RunBudget | undefined): void {
  const above = budget === undefined ? null : aboveLimits(budget, worker.limits)
  if (above === null) return
  const text = `budget.${above} is above the limit of ${worker.name}, ${worker.limits[above]}`
  throw new Problem('invalid_request', text, { field: `budget.${above}` })
}
