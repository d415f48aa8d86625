import { Context } from '@temporalio/activity'
import { isStoredId } from '#domain/requests/reference-forms.ts'
import type { CallOutcome, NextTurn } from '#domain/runs/workflow-outcomes.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import { executeCall } from '#services/engine/executions/execute-call.ts'
import { workflowIdOf } from '#services/runs/starting/insert-run.ts'
import type { Activities, TurnPlace } from '#workflows/activity-port.ts'
import type { CallPreparations } from './call-preparations.ts'
import { laterBecause, takeTurnNow } from './take-turn.ts'
import type { TurnSlots } from './turn-slots.ts'
import { withHeartbeat } from './with-heartbeat.ts'

/** As long as a turn on the queue of turns may take (activity-proxies.ts). */
const turnTimeoutMs = 15 * 60_000

/**
 * Carries a call out. It also takes the next turn of the run if the workflow says that no other
 * call is open and a slot for turns is free. The call is answered in any case: if the turn was not
 * taken or its process died, it is taken from the queue of turns, which reads back a turn that was
 * stored.
 */
export function executeCallActivity(
  ctx: WorkerContext,
  slots: TurnSlots,
  preparations: CallPreparations,
): Activities['executeCall'] {
  return ({ callId, next }) =>
    withHeartbeat(async (signal): Promise<CallOutcome> => {
      const ready = preparations.take(callId)
      const outcome = await executeCall(ctx, { callId, signal, ready })
      if (outcome.kind !== 'done' || next === undefined || !isOfItsRun(next)) return outcome
      using slot = slots.take()
      if (slot === null || signal.aborted) return outcome
      const nextTurn = await takeNextTurn(ctx, next, signal)
      return nextTurn === null ? outcome : { ...outcome, nextTurn }
    })
}

/** A workflow other than the run's own takes none of its turns (security.md 14). */
function isOfItsRun({ runId }: TurnPlace): boolean {
  const { workflowExecution } = Context.current().info
  return isStoredId(runId) && workflowExecution?.workflowId === workflowIdOf(runId)
}

/** Never rejects. `null`: the turn has to be taken from the queue of turns. */
async function takeNextTurn(
  ctx: WorkerContext,
  next: TurnPlace,
  signal: AbortSignal,
): Promise<NextTurn | null> {
  const stop = new AbortController()
  const timeout = setTimeout(() => stop.abort('timed_out'), turnTimeoutMs)
  try {
    const take = (): Promise<NextTurn> =>
      takeTurnNow(ctx, next, AbortSignal.any([signal, stop.signal]))
    return await (ctx.aroundTurn?.(next, take) ?? take())
  } catch (error) {
    return signal.aborted ? null : laterBecause(ctx, next, error)
  } finally {
    clearTimeout(timeout)
  }
}
