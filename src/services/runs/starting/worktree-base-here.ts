import { UnusableWorkspace } from '#domain/tools/unusable-workspace.ts'
import type { WorktreeBaseAnswer } from '../../core/host-queries.ts'
import type { WorkerContext } from '../../core/worker-context.ts'

/**
 * The branch and commit at which the worktree of a run that starts now begins, by the policy in
 * force on this host, and whether the folder of its workspace exists.
 */
export async function worktreeBaseHere(
  ctx: WorkerContext,
  workspace: string,
  taskQueue: string,
): Promise<WorktreeBaseAnswer> {
  const place = { taskQueue, workspace }
  const policy = await ctx.policies.inForce()
  try {
    await ctx.workspaceOf(place, policy)
    const hasWorktrees = policy.config.workspaces.get(workspace)?.worktree !== undefined
    return hasWorktrees ? await ctx.worktreeBase(place, policy) : { base: null }
  } catch (error) {
    if (!(error instanceof UnusableWorkspace)) throw error
    return { problem: error.message }
  }
}
