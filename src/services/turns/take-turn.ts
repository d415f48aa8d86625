import { sql, type Selectable } from 'kysely'
import type { TurnOutcome } from '../../domain/workflow-outcomes.ts'
import type { WorkerDefinition } from '../../policy/policy.ts'
import type { RunTable, ToolCallTable } from '../../store/schema.ts'
import { withManualCalls } from '../manual-calls/open-manual-calls.ts'
import type { WorkerContext } from '../worker-context.ts'
import { askModel } from './ask-model.ts'
import { judgeTurn } from './judge-turn.ts'
import { openTurn } from './open-turn.ts'
import { planTurn } from './plan-turn.ts'
import { prepareTurn } from './prepare-turn.ts'
import { termsOf } from '../runs/run-terms.ts'
import { runHasEnded } from '../runs/ending/run-has-ended.ts'
import { storeTurn } from './store-turn.ts'

/** How often a turn is judged before its calls are given up with an error. */
export const judgingsMost = 5

/**
 * One turn of a run (architecture.md): at most one model step, its message stored once, its calls judged from what is
 * stored, requests opened; a run whose model is finished is closed with it. Entered again it reads back what is there. Throws `ModelProblem` while trying again may
 * help, the signal's reason when it was stopped but the run goes on, and whatever keeps it from judging, up to five times.
 */
export async function takeTurn(ctx: WorkerContext, input: TurnInput): Promise<TurnOutcome> {
  try {
    return await attemptTurn(ctx, input)
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
  const found = await ctx.db
    .selectFrom('run')
    .selectAll()
    .where('id', '=', input.runId)
    .executeTakeFirst()
  if (found === undefined) return { kind: 'ended' }
  const worker = await pinnedWorker(ctx, found)
  const prepared = await prepareTurn(ctx, worker.limits, input)
  switch (prepared.kind) {
    case 'ended':
    case 'finished':
      return { kind: prepared.kind }
    case 'waiting_for_input':
      return { kind: prepared.kind, ...(await withManualCalls(ctx.db, input.runId)) }
    case 'stored':
    case 'unfinished':
      return judgeAndPlan(ctx, { ...input, turn: prepared.turn })
    case 'model': {
      const { run, attempt, turn } = prepared
      const { runId, signal } = input
      const { policy } = await termsOf(ctx, run)
      const answered = await askModel(ctx, { run, turn, attempt, worker, policy, signal })
      if (answered === null) return afterGivingUp(ctx, { runId, turn, signal })
      const kind = await storeTurn(ctx, { runId, turn, attempt, ...answered })
      return kind === 'judge' ? judgeAndPlan(ctx, { runId, turn, signal }) : { kind }
    }
  }
}

/** The run waits for a message, unless an attempt that overlapped had its answer stored. */
async function afterGivingUp(ctx: WorkerContext, input: TurnInput): Promise<TurnOutcome> {
  const run = await ctx.db
    .selectFrom('run')
    .select(['turn', 'ended_at'])
    .where('id', '=', input.runId)
    .executeTakeFirstOrThrow()
  if (run.ended_at !== null) return { kind: 'ended' }
  return run.turn >= input.turn ? judgeAndPlan(ctx, input) : { kind: 'waiting_for_input' }
}

/** Instructions, model and limits stay those the run started with (architecture.md, policy in time). */
async function pinnedWorker(
  ctx: WorkerContext,
  run: Selectable<RunTable>,
): Promise<WorkerDefinition> {
  const policy = await ctx.policies.byDigest(run.policy_digest)
  const worker = policy.workers.get(run.worker)
  if (worker === undefined || worker.digest !== run.worker_digest) {
    throw new Error(`Run ${run.id} was started with a worker that its policy version does not have`)
  }
  return worker
}

async function judgeAndPlan(ctx: WorkerContext, input: TurnInput): Promise<TurnOutcome> {
  const { runId, turn } = input
  const unjudged = await unjudgedCalls(ctx, runId, turn)
  if (unjudged.length > 0) {
    const run = await ctx.db
      .selectFrom('run')
      .selectAll()
      .where('id', '=', runId)
      .executeTakeFirstOrThrow()
    const judged = unjudged.some((call) => call.judged_times >= judgingsMost)
      ? unjudged.map((call) => ({ kind: 'refused' as const, callId: call.id, text: gaveUpText }))
      : await countedJudging(ctx, run, unjudged, input)
    await openTurn(ctx, { runId, turn, judged })
  }
  return planTurn(ctx.db, runId, turn)
}

const gaveUpText = 'This call could not be judged, and nothing was carried out.'

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

/** Counted before it begins, so that a judging which takes the process with it counts too. */
async function countedJudging(
  ctx: WorkerContext,
  run: Selectable<RunTable>,
  calls: readonly Selectable<ToolCallTable>[],
  input: { readonly signal: AbortSignal },
): Promise<Awaited<ReturnType<typeof judgeTurn>>> {
  await ctx.db
    .updateTable('tool_call')
    .set({ judged_times: sql<number>`judged_times + 1` })
    .where(
      'id',
      'in',
      calls.map((call) => call.id),
    )
    .execute()
  try {
    return await judgeTurn(ctx, { run, calls, signal: input.signal })
  } catch (error) {
    ctx.log.error({ runId: run.id, err: error }, 'A turn could not be judged')
    throw error
  }
}
