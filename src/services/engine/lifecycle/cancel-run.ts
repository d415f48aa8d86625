import { Problem } from '#domain/problem.ts'
import type { RunState } from '#domain/requests/request.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { lockRun } from '../../core/locks.ts'
import { requireReasonFits } from '../../core/problems/invalid.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { endRun } from './end-run.ts'
import { bySteering } from '../../runs/may-steer-run.ts'

export interface CancelRunInput {
  readonly runId: string
  readonly reason?: string
}

/**
 * Cancels a run and every run below it: pending requests leave the queues, approvals that have not
 * started are revoked, a running tool is stopped. A cancelled run stays unchanged. Rejects with
 * `not_found`, `forbidden`, or `run_ended` when it completed or failed.
 */
export async function cancelRun(
  ctx: ServiceContext,
  caller: Caller,
  input: CancelRunInput,
): Promise<{ readonly id: string; readonly state: RunState }> {
  const authority = await bySteering(ctx, caller, input.runId)
  const reason = input.reason ?? null
  requireReasonFits(reason)
  return inUnitOfWork(ctx, authority, async (unit) => {
    const run = await lockRun(unit.tx, input.runId)
    if (run.state === 'cancelled') return { id: run.id, state: run.state }
    if (isEnd(runTransitions, run.state)) {
      throw new Problem('run_ended', `This run is already ${run.state}`, { state: run.state })
    }
    await endRun(unit, caller, run, {
      event: 'cancel',
      cancelReason: 'run_cancelled',
      why: 'the run was cancelled',
      endReason: reason,
      failure: null,
    })
    return { id: run.id, state: 'cancelled' }
  })
}
