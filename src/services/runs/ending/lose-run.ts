import type { ServiceContext } from '../../context.ts'
import { lockRun } from '../../locks.ts'
import { inUnitOfWork } from '../../unit-of-work.ts'
import { endRun } from './end-run.ts'

/**
 * Ends a run whose workflow Temporal says was terminated behind our back: `failed (workflow_lost)`, its requests
 * `cancelled`. Changes nothing when the run has ended. The reconciler calls it; nobody else can know.
 */
export async function loseRun(
  ctx: ServiceContext,
  input: { readonly runId: string },
): Promise<void> {
  await inUnitOfWork(ctx, async (unit) => {
    const run = await lockRun(unit.tx, input.runId)
    const caller = { actor: { type: 'system', name: 'reconciler' }, channel: 'relay' } as const
    const ended = await endRun(unit, caller, run, {
      event: 'fail',
      cancelReason: 'workflow_lost',
      why: 'the workflow of the run was terminated',
      endReason: 'workflow_lost',
      failure: {
        code: 'workflow_lost',
        message: 'Temporal says that the workflow of this run was terminated. Start a new run.',
      },
    })
    if (ended.length === 0) return
    await unit.audit({
      type: 'system.reconciled',
      ...caller,
      runId: input.runId,
      detail: { found: 'workflow_terminated', ended: ended.length },
    })
  })
}
