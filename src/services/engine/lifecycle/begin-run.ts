import type { RunBeginning } from '#domain/runs/workflow-outcomes.ts'
import type { ServiceContext } from '../../core/context.ts'
import { withManualCalls } from '../manual-calls/open-manual-calls.ts'

/**
 * Where a run stands when its workflow begins or is started again: the turn whose message was
 * stored last, to be read back, or the first. A workflow of a run that nobody recorded was started
 * by hand: it has `ended`.
 */
export async function beginRun(
  ctx: ServiceContext,
  input: { readonly runId: string },
): Promise<RunBeginning> {
  const run = await ctx.db
    .selectFrom('run')
    .select(['turn', 'forked_after_turn', 'task_queue', 'ended_at'])
    .where('id', '=', input.runId)
    .executeTakeFirst()
  if (run === undefined) return { ended: true, turn: 0, taskQueue: '' }
  return {
    ended: run.ended_at !== null,
    // The last turn of a fork's prefix is another run's.
    turn: Math.max(run.forked_after_turn === run.turn ? run.turn + 1 : run.turn, 1),
    taskQueue: run.task_queue,
    ...(await withManualCalls(ctx.db, input.runId)),
  }
}
