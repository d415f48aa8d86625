import type { RunBeginning } from '../../domain/workflow-outcomes.ts'
import type { ServiceContext } from '../context.ts'

/** Where a run stands when its workflow begins or is started again. A workflow that was started by hand has `ended`. */
export async function beginRun(
  ctx: ServiceContext,
  input: { readonly runId: string },
): Promise<RunBeginning> {
  const run = await ctx.db
    .selectFrom('run')
    .select(['turn', 'task_queue', 'ended_at'])
    .where('id', '=', input.runId)
    .executeTakeFirst()
  // A workflow nobody recorded has nothing to do; it ends without a trace in any run.
  if (run === undefined) return { ended: true, turn: 0, taskQueue: '' }
  return { ended: run.ended_at !== null, turn: run.turn, taskQueue: run.task_queue }
}
