import type { WorktreeBaseAnswer } from '../../core/host-queries.ts'
import type { WorkerContext } from '../../core/worker-context.ts'

/** Where the worktree of a run that starts now begins, by the policy in force on this host. */
export async function worktreeBaseHere(
  ctx: WorkerContext,
  workspace: string,
  taskQueue: string,
): Promise<WorktreeBaseAnswer> {
  return ctx.worktreeBase({ taskQueue, workspace }, await ctx.policies.inForce())
}
