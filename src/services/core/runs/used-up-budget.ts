import { sql, type RawBuilder } from 'kysely'
import { Problem } from '#domain/problem.ts'

/** A monthly budget that is used up: of one worker, or of everybody (`*`). */
export interface UsedUpBudget {
  readonly worker: string
  readonly costUsd: number
}

/**
 * The used-up budget of this month, UTC, of the worker that an expression names, as JSON; `null`
 * for none. It reads the month's part of one index, and nothing where there are no budgets.
 */
export function usedUpBudget(worker: RawBuilder<string>): RawBuilder<UsedUpBudget | null> {
  return sql<UsedUpBudget | null>`(
    select jsonb_build_object('worker', budget.worker, 'costUsd', budget.cost_usd)
    from monthly_budget as budget
    where budget.worker in ('*', ${worker}) and budget.cost_usd <= (
      select coalesce(sum(spent.cost_usd), 0) from turn_attempt as spent
      where spent.cost_usd is not null
        and spent.started_at >= date_trunc('month', clock_timestamp(), 'UTC')
        and (budget.worker = '*' or exists (
          select from run where run.id = spent.run_id and run.worker = budget.worker)))
    order by budget.worker limit 1
  )`
}

/** The sentence on the page of a run, and in the refusal of a start. */
export function usedUpText({ worker, costUsd }: UsedUpBudget): string {
  const whose = worker === '*' ? 'all workers' : worker
  return `This month's budget of ${whose}, ${costUsd} USD, is used up (budgets in countersign.yaml).`
}

/** The refusal of a start. */
export function usedUpProblem(used: UsedUpBudget): Problem {
  return new Problem('budget_exhausted', usedUpText(used), { ...used })
}
