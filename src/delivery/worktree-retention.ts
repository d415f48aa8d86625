import type { WorkerContext } from '#services/core/worker-context.ts'
import { removeWorktrees } from '#services/retention/remove-worktrees.ts'
import { RepeatedWork, warnWith } from './repeated-work.ts'

const everyMs = 10 * 60 * 1000

/**
 * Removes the worktrees of this host that are no longer needed, in every Temporal worker, since
 * only the host has their files. The next round completes an interrupted one.
 */
export function repeatWorktreeRetention(ctx: WorkerContext): RepeatedWork {
  return new RepeatedWork({
    everyMs,
    work: (closing) => removeWorktrees(ctx, closing),
    onError: warnWith(ctx.log, 'worktrees could not be removed; the next round is in 10 minutes'),
  })
}
