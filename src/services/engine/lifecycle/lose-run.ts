import { lockRun } from '../../core/locks.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { endRun } from './end-run.ts'
import type { SystemContext } from '../../core/context.ts'
import { bySystem, reconciler } from '../../core/authority.ts'

/**
 * Ends a run whose workflow was terminated in Temporal by somebody else: `failed (workflow_lost)`,
 * its requests `cancelled`. Changes nothing when the run has ended. Only the reconciler, which asks
 * Temporal, calls it.
 */
export async function loseRun(
  ctx: SystemContext,
  input: { readonly runId: string },
): Promise<void> {
  await inUnitOfWork(ctx, bySystem(ctx, reconciler), async (unit) => {
    const run = await lockRun(unit.tx, input.runId)
    const endedIds = await endRun(unit, reconciler, run, {
      event: 'fail',
      cancelReason: 'workflow_lost',
      why: 'the workflow of the run was terminated',
      endReason: 'workflow_lost',
      failure: {
        code: 'workflow_lost',
        message: 'Temporal says that the workflow of this run was terminated. Start a new run.',
      },
    })
    if (endedIds.length === 0) return
    await unit.audit({
      type: 'system.reconciled',
      runId: input.runId,
      detail: { found: 'workflow_terminated', ended: endedIds.length },
    })
  })
}
