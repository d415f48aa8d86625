import { sql, type Selectable } from 'kysely'
import type { TurnOutcome } from '#domain/runs/workflow-outcomes.ts'
import { getTexts } from '#store/content/content.ts'
import type { ToolCallTable } from '#store/tables/runs.ts'
import { UnusableWorkspace } from '#domain/tools/unusable-workspace.ts'
import { markingUnusable } from '../attempts/unusable-workspace.ts'
import { withManualCalls } from '../manual-calls/open-manual-calls.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { askModel } from './ask-model.ts'
import { judgeTurn } from '../judging/judge-turn.ts'
import { openTurn } from './open-turn.ts'
import { callsToPlan, planOf } from './plan-turn.ts'
import { prepareTurn } from './prepare-turn.ts'
import { restMs, restOf } from '../../core/runs/rest.ts'
import { runHasEnded } from '../lifecycle/run-has-ended.ts'
import { storeTurn, type CallsToJudge } from './store-turn.ts'

/** How often a turn is judged before its calls end with an error. */
export const maxJudgings = 5

/**
 * Takes one turn of a run (architecture.md). It makes at most one model step and stores its message
 * once. It judges the stored calls and opens their requests. If the model has finished, it closes
 * the run. When it is called again it reads back what is stored. Throws `ModelProblem` while
 * another try may succeed, the signal's reason when it was stopped and the run continues, and
 * failures of judging, up to five times.
 */
export async function takeTurn(ctx: WorkerContext, input: TurnInput): Promise<TurnOutcome> {
  try {
    return await markingUnusable(ctx, input, () => attemptTurn(ctx, input))
  } catch (error) {
    if (input.signal.aborted && (await runHasEnded(ctx.db, input.runId))) return { kind: 'ended' }
    throw error
  }
}

interface TurnInput {
  readonly runId: string
  readonly turn: number
  readonly signal: AbortSignal
}

async function attemptTurn(ctx: WorkerContext, input: TurnInput): Promise<TurnOutcome> {
  const prepared = await prepareTurn(ctx, input)
  switch (prepared.kind) {
    case 'ended':
    case 'finished':
      return { kind: prepared.kind }
    case 'waiting_for_input':
      return { ...prepared, ...(await withManualCalls(ctx.db, input.runId)) }
    case 'stored':
    case 'unfinished':
      return judgeAgainAndPlan(ctx, { ...input, turn: prepared.turn })
    case 'model': {
      const { run, newAttempt, turn, pinned, window } = prepared
      const { runId, signal } = input
      const attempt = newAttempt.rows[0]?.attempt
      if (attempt === undefined) throw new Error(`Turn ${turn} of run ${runId} has no attempt`)
      const answered = await askModel(ctx, { run, turn, attempt, pinned, window, signal })
      if (answered === 'again') return attemptTurn(ctx, { runId, turn, signal })
      if (answered === null) return afterGivingUp(ctx, { runId, turn, signal })
      const storedTurn = await storeTurn(ctx, { runId, turn, attempt, ...answered })
      switch (storedTurn.kind) {
        case 'stored':
          return judgeAndPlan(ctx, { runId, turn, signal }, storedTurn)
        case 'overlapped':
          return judgeAgainAndPlan(ctx, { runId, turn, signal })
        case 'waiting_for_input':
          return { ...storedTurn, ...(await withManualCalls(ctx.db, runId)) }
        default:
          return { kind: storedTurn.kind }
      }
    }
  }
}

/** The run waits for a message, unless a concurrent attempt stored its answer. */
async function afterGivingUp(ctx: WorkerContext, input: TurnInput): Promise<TurnOutcome> {
  const run = await ctx.db
    .selectFrom('run')
    .select(['turn', 'ended_at', restMs.as('rest_ms')])
    .where('id', '=', input.runId)
    .executeTakeFirstOrThrow()
  if (run.ended_at !== null) return { kind: 'ended' }
  return run.turn >= input.turn
    ? judgeAgainAndPlan(ctx, input)
    : { kind: 'waiting_for_input', ...restOf(run, run.rest_ms) }
}

/** A stored turn: its calls without a verdict are judged again, up to a number of times. */
async function judgeAgainAndPlan(ctx: WorkerContext, input: TurnInput): Promise<TurnOutcome> {
  const { runId, turn } = input
  const calls = await unjudgedCalls(ctx, runId, turn)
  if (calls.length === 0) return planOf(await callsToPlan(ctx.db, runId, turn).execute())
  if (calls.some((call) => call.judged_times >= maxJudgings)) {
    const plans = calls.map(({ id }) => ({
      kind: 'refused' as const,
      callId: id,
      text: gaveUpText,
    }))
    return openTurn(ctx, { runId, turn, judged: plans })
  }
  const run = await ctx.db
    .selectFrom('run')
    .selectAll()
    .where('id', '=', runId)
    .executeTakeFirstOrThrow()
  await countJudging(ctx, calls, 1)
  const inputs = await getTexts(
    ctx.db,
    calls.map((call) => call.input_hash),
  )
  return judgeAndPlan(ctx, input, { run, calls, inputs }).catch(async (error: unknown) => {
    // The turn waits for its workspace, and its judgings meanwhile do not count.
    if (error instanceof UnusableWorkspace) await countJudging(ctx, calls, -1)
    throw error
  })
}

const gaveUpText = 'This call could not be judged, and nothing was carried out.'

async function judgeAndPlan(
  ctx: WorkerContext,
  { runId, turn, signal }: TurnInput,
  toJudge: CallsToJudge,
): Promise<TurnOutcome> {
  const verdicts = await judgeTurn(ctx, { ...toJudge, signal }).catch((error: unknown) => {
    ctx.log.error({ runId, err: error }, 'A turn could not be judged')
    throw error
  })
  return openTurn(ctx, { runId, turn, judged: verdicts })
}

async function unjudgedCalls(
  ctx: WorkerContext,
  runId: string,
  turn: number,
): Promise<Selectable<ToolCallTable>[]> {
  return ctx.db
    .selectFrom('tool_call')
    .selectAll()
    .where('run_id', '=', runId)
    .where('turn', '=', turn)
    .where('verdict', 'is', null)
    .where('result_type', 'is', null)
    .orderBy('position')
    .execute()
}

/** Counted first, so that a judging which kills the process counts too. */
async function countJudging(
  ctx: WorkerContext,
  calls: readonly Selectable<ToolCallTable>[],
  by: 1 | -1,
): Promise<void> {
  await ctx.db
    .updateTable('tool_call')
    .set({ judged_times: sql<number>`judged_times + ${by}` })
    .where(
      'id',
      'in',
      calls.map((call) => call.id),
    )
    .execute()
}
