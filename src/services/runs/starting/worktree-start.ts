import { resolve } from 'node:path'
import { Problem } from '#domain/problem.ts'
import { UnusableWorkspace } from '#domain/tools/unusable-workspace.ts'
import type { WorktreeOfRun } from '#domain/tools/worktree.ts'
import type { Policy } from '#policy/policy.ts'
import { realFolder } from '#sandbox/workspace.ts'
import type { SigningContext } from '../../core/context.ts'

/** Where the worktree of a run begins; its branch gets a name with the run's number. */
export type WorktreeStart = Omit<WorktreeOfRun, 'branch'>

/**
 * Asks the host of a workspace where the worktree of a new run begins; `null` where runs work in
 * the folder itself. Call it before the transaction, which must not wait for another host. Rejects
 * with `invalid_request` when the folder is not there or has no such branch, and with
 * `workspace_unreachable` where there are worktrees.
 */
export async function worktreeStart(
  ctx: Pick<SigningContext, 'projectDir' | 'worktreeBase'>,
  policy: Policy,
  workspace: string,
): Promise<WorktreeStart | null> {
  const named = policy.config.workspaces.get(workspace)
  const hasWorktrees = named?.worktree !== undefined
  if (!hasWorktrees) {
    // A run on another host starts also while that host is away, and waits for it.
    if (named === undefined || named.taskQueue !== null) return null
    if (await isUsable(resolve(ctx.projectDir, named.root))) return null
  }
  const answer = await ctx.worktreeBase(workspace).catch((error: unknown) => {
    // This process may run on another host than the folder.
    if (!hasWorktrees && error instanceof Problem) return { base: null }
    throw error
  })
  if ('problem' in answer) {
    const text = `workspace: no run can start in ${workspace}: ${answer.problem}`
    throw new Problem('invalid_request', text, { field: 'workspace' })
  }
  return answer.base === null ? null : answer
}

/** Whether a run could work in the folder, as far as this host can tell. */
async function isUsable(path: string): Promise<boolean> {
  return realFolder(path).then(
    () => true,
    (error: unknown) => !(error instanceof UnusableWorkspace),
  )
}
