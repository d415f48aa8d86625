import type { RunBeginning } from '#domain/runs/workflow-outcomes.ts'
import type { ServiceContext } from '../../core/context.ts'
import { withManualCalls } from '../manual-calls/open-manual-calls.ts'

/**
 * The turn with which a workflow begins, or begins again: the newest stored one, which is read
 * back, or the first. A workflow of an unknown run was started by hand: it has `ended`.
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
    // The last turn of a fork's prefix belongs to another run.
    turn: Math.max(run.forked_after_turn === run.turn ? run.turn + 1 : run.turn, 1),
    taskQueue: run.task_queue,
    ...(await withManualCalls(ctx.db, input.runId)),
  }
}
