import { sql, type Selectable } from 'kysely'
import type { WindowStep } from '#domain/runs/window.ts'
import type { RunWindowTable } from '#store/tables/runs.ts'
import { windowStepOf, windowStepsColumn } from '../../transcript/window-steps.ts'
import type { CountedPrompt } from '../window/max-prompt-bytes.ts'

/** How much of a run its model takes, as far as it is known before its next turn. */
export interface RunWindow {
  readonly steps: readonly WindowStep[]
  /** of the last step for which the provider reported a count; `null`: none */
  readonly lastPrompt: CountedPrompt | null
  /** the provider has just refused the next turn's prompt as too long */
  readonly isRefused: boolean
}

/** What {@link windowColumns} return. */
export interface WindowRow {
  readonly window_steps: readonly Selectable<RunWindowTable>[] | null
  readonly counted_prompt: CountedPrompt | null
  readonly newest_outcome: string | null
}

export function windowOf(row: WindowRow): RunWindow {
  return {
    steps: (row.window_steps ?? []).map(windowStepOf),
    lastPrompt: row.counted_prompt,
    isRefused: row.newest_outcome === 'too_long',
  }
}

const lastPrompt = sql<CountedPrompt | null>`(
  select json_build_object('inputTokens', input_tokens, 'promptBytes', prompt_bytes)
  from turn_attempt
  where run_id = run.id and turn = run.turn and outcome = 'stored' and input_tokens > 0
    and prompt_bytes > 0
  order by attempt desc limit 1
)`.as('counted_prompt')

const newestOutcome = sql<string | null>`(
  select outcome from turn_attempt where run_id = run.id and turn = run.turn + 1
  order by attempt desc limit 1
)`.as('newest_outcome')

/** Columns of a query of `run`, for {@link windowOf}. */
export const windowColumns = sql`${windowStepsColumn}, ${lastPrompt}, ${newestOutcome}`
