import { sql, type RawBuilder } from 'kysely'
import { countWords } from '#domain/text/quantities/count-words.ts'
import type { WorkerLimits } from '#policy/worker-definition.ts'
import { usedUpBudget, usedUpText, type UsedUpBudget } from '../../core/runs/used-up-budget.ts'
import type { RunFailure } from '#store/tables/runs.ts'

/**
 * How a turn attempt ended. `limit` is not an attempt: it marks where a run stopped at a limit.
 * `compaction` summarised old turns instead of taking one; `too_long` was refused for its length.
 */
export type AttemptOutcome =
  | 'stored'
  | 'overlapped'
  | 'model_problem'
  | 'too_long'
  | 'compaction'
  | 'gave_up'
  | 'limit'

/** The query of what a run has used since it last stopped at a limit, and of its used-up budget. */
export function amountsToRead(runId: string): RawBuilder<UsedAmounts> {
  return sql<UsedAmounts>`
    with since as (
      select turn, attempt from turn_attempt
      where run_id = ${runId} and outcome = 'limit'
      order by turn desc, attempt desc limit 1
    ), counted as (
      select * from turn_attempt
      where run_id = ${runId} and outcome is distinct from 'limit'
        and (not exists (select from since) or (turn, attempt) > (select turn, attempt from since))
    )
    select
      (select count(*) from counted
        where outcome is null or outcome in ('stored', 'overlapped'))::int as turns,
      (select coalesce(sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)), 0)
        from counted)::float8 as tokens,
      (select coalesce(sum(cost_usd), 0) from counted)::float8 as "costUsd",
      ${usedUpBudget(sql<string>`(select worker from run where id = ${runId})`)} as "usedUp",
      (select count(*) from tool_call
        where run_id = ${runId} and turn >= coalesce((select turn from since), 0))::int as calls
  `
}

/**
 * The limit of the worker that a run has reached, or the monthly budget that is used up; `null`:
 * none. Limits are counted since the last stop at one, so that the message which resumes the run
 * gives it a new allowance. An attempt whose process died counts like one with an answer.
 */
export function reachedLimit(used: UsedAmounts, limits: WorkerLimits): RunFailure | null {
  if (used.usedUp !== null) return { code: 'budget_exhausted', message: usedUpText(used.usedUp) }
  if (used.turns >= limits.turns) return limitFailure('turns', limits.turns)
  if (used.calls >= limits.calls) return limitFailure('calls', limits.calls)
  if (used.tokens >= limits.tokens) return limitFailure('tokens', limits.tokens)
  const { costUsd } = limits
  return costUsd !== null && used.costUsd >= costUsd ? limitFailure('costUsd', costUsd) : null
}

export interface UsedAmounts {
  readonly turns: number
  readonly tokens: number
  readonly calls: number
  readonly costUsd: number
  readonly usedUp: UsedUpBudget | null
}

const units = { turns: 'turn', calls: 'call', tokens: 'token', costUsd: null } as const

function limitFailure(what: keyof typeof units, limit: number): RunFailure {
  const unit = units[what]
  const amount = unit === null ? `${limit} USD` : countWords(limit, unit)
  return {
    code: what === 'costUsd' ? 'limit_cost' : `limit_${what}`,
    message: `The run has reached its limit of ${amount}. Send a message to let it go on for as much again.`,
  }
}
