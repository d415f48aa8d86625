import { Problem } from '#domain/problem.ts'
import type { WorktreeOfRun } from '#domain/tools/worktree.ts'
import type { Policy } from '#policy/policy.ts'
import type { SigningContext } from '../../core/context.ts'

/** Where the worktree of a run begins; its branch gets a name with the run's number. */
export type WorktreeStart = Omit<WorktreeOfRun, 'branch'>

/**
 * Asks the host of a workspace where the worktree of a new run begins; `null` where runs work in
 * the folder itself. Call it before the transaction, which must not wait for another host. Rejects
 * with `invalid_request` when the workspace has no such branch, and with `workspace_unreachable`.
 */
export async function worktreeStart(
  ctx: Pick<SigningContext, 'worktreeBase'>,
  policy: Policy,
  workspace: string,
): Promise<WorktreeStart | null> {
  if (policy.config.workspaces.get(workspace)?.worktree === undefined) return null
  const answer = await ctx.worktreeBase(workspace)
  if ('problem' in answer) {
    const text = `workspace: no run can start in ${workspace}: ${answer.problem}`
    throw new Problem('invalid_request', text, { field: 'workspace' })
  }
  return answer
}
