import { Problem } from '#domain/problem.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import type { RunState } from '#domain/requests/request.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { onceForKey } from '../../core/idempotency.ts'
import { lockRun } from '../../core/locks.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { bySteering } from '../../runs/may-steer-run.ts'
import { completeRun } from './complete-run.ts'
import { isOpen, readOpenWork } from './open-work.ts'

export interface CloseConversationInput {
  readonly runId: string
  readonly idempotencyKey?: string
}

/**
 * Completes a run that waits for input, with the model's last text as its output, for anybody who
 * may send it messages (product.md 28). Rejects with `not_found`, `forbidden`, `conflict` while a
 * turn, a call or a decision is open, or `run_ended`.
 */
export async function closeConversation(
  ctx: ServiceContext,
  caller: Caller,
  input: CloseConversationInput,
): Promise<{ readonly id: string; readonly state: RunState }> {
  const { runId, idempotencyKey: key } = input
  const authority = await bySteering(ctx, caller, runId)
  return inUnitOfWork(ctx, authority, (unit) =>
    onceForKey(unit.tx, { caller, key, route: 'close-run', body: { runId } }, async () => {
      const run = await lockRun(unit.tx, runId)
      if (isEnd(runTransitions, run.state)) {
        throw new Problem('run_ended', `This run is already ${run.state}`, { state: run.state })
      }
      const openWork = await readOpenWork(unit.tx, run)
      if (run.state !== 'waiting_for_input' || isOpen(openWork)) {
        const what = openWork.hasPending ? 'waits for a decision' : 'is at work'
        throw new Problem(
          'conflict',
          `This run ${what}; close it when it waits for input, or cancel it`,
          {
            state: run.state,
          },
        )
      }
      await completeRun(unit, run, {
        openWork,
        lastText: null,
        caller,
        detail: { by: 'closed', rest: run.rest },
      })
      await unit.enqueue({ kind: 'signal_messaged', runId, payload: {} })
      return { id: runId, state: 'completed' as const }
    }),
  )
}
