import { sql, type Selectable } from 'kysely'
import type { WindowStep } from '#domain/runs/window.ts'
import type { Db } from '#store/database.ts'
import type { RunTable } from '#store/tables/runs.ts'
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

/** A run with its window, in one query; `null` when there is no such run. */
export async function readRunWithWindow(
  db: Db,
  runId: string,
): Promise<{ readonly row: Selectable<RunTable>; readonly window: RunWindow } | null> {
  const read = await db
    .selectFrom('run')
    .selectAll()
    .select(windowStepsColumn)
    .select([lastPrompt, newestOutcome])
    .where('id', '=', runId)
    .executeTakeFirst()
  if (read === undefined) return null
  const {
    window_steps: steps,
    counted_prompt: countedPrompt,
    newest_outcome: newest,
    ...row
  } = read
  const window = {
    steps: (steps ?? []).map(windowStepOf),
    lastPrompt: countedPrompt,
    isRefused: newest === 'too_long',
  }
  return { row, window }
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
