import { ApplicationFailure } from '@temporalio/activity'
import type { NextTurn, TurnOutcome } from '#domain/runs/workflow-outcomes.ts'
import { ModelProblem } from '#models/model.ts'
import { closeRun } from '#services/engine/lifecycle/close-run.ts'
import { runHasEnded } from '#services/engine/lifecycle/run-has-ended.ts'
import { takeTurn } from '#services/engine/turns/take-turn.ts'
import { errorText } from '#services/core/problems/error-text.ts'
import type { StopReason, WorkerContext } from '#services/core/worker-context.ts'
import type { Activities, TurnPlace } from '#workflows/activity-port.ts'
import type { TurnSlots } from './turn-slots.ts'
import { withHeartbeat } from './with-heartbeat.ts'

const firstRetryDelayMs = 500
/** How soon a cancellation that the store did not confirm is looked up again. */
const confirmAgainMs = 1_000

/**
 * One model step of a run. A provider's "retry after" becomes the delay of the next attempt. A run
 * whose model has finished is closed here, which saves the workflow a step. If a message came
 * meanwhile, the workflow continues.
 */
export function takeTurnActivity(ctx: WorkerContext): Activities['takeTurn'] {
  return (input) => withHeartbeat((stopSignal) => takeTurnNow(ctx, input, stopSignal))
}

/**
 * The same on the queue of executions, with a slot that those share. Without one, or when the model
 * fails, the turn is taken from the queue of turns, where Temporal repeats it.
 */
export function takeTurnHereActivity(ctx: WorkerContext, slots: TurnSlots): Activities['takeTurn'] {
  return (input) =>
    withHeartbeat(async (stopSignal): Promise<NextTurn> => {
      using slot = slots.take()
      if (slot === null) return { kind: 'later', afterMs: 0 }
      try {
        return await takeTurnNow(ctx, input, stopSignal)
      } catch (error) {
        if (stopSignal.aborted) throw error
        return laterBecause(ctx, input, error)
      }
    })
}

/** The answer about a turn that failed. A provider's "retry after" becomes its delay. */
export function laterBecause(ctx: WorkerContext, { runId }: TurnPlace, error: unknown): NextTurn {
  ctx.log.warn({ runId, err: error }, `A turn failed: ${errorText(error)}`)
  const delay = error instanceof ApplicationFailure ? error.nextRetryDelay : undefined
  // Not zero: with zero the workflow takes the turn from the queue of turns at once, as if there
  // had been no slot.
  const afterMs = typeof delay === 'number' ? Math.max(1, delay) : firstRetryDelayMs
  return { kind: 'later', afterMs }
}

/** Takes the turn within an activity that has a heartbeat. */
export async function takeTurnNow(
  ctx: WorkerContext,
  input: TurnPlace,
  stopSignal: AbortSignal,
): Promise<TurnOutcome> {
  using stop = await confirmedStop(ctx, input.runId, stopSignal)
  try {
    const outcome = await takeTurn(ctx, { ...input, signal: stop.signal })
    if (outcome.kind !== 'finished') return outcome
    const closed = await closeRun(ctx, { runId: input.runId })
    if (closed.kind === 'rests') return { ...closed, kind: 'waiting_for_input' }
    return closed.kind === 'closed' ? { kind: 'ended' } : outcome
  } catch (error) {
    throw error instanceof ModelProblem ? failureOf(error) : error
  }
}

/**
 * Passes a stop on; a cancellation only once the store says that the run has ended, so that a
 * forged one does nothing. The store is asked again until the turn is over: Temporal does not
 * report a person's cancellation after a forged one.
 */
async function confirmedStop(
  ctx: WorkerContext,
  runId: string,
  stopSignal: AbortSignal,
): Promise<Disposable & { readonly signal: AbortSignal }> {
  const stop = new AbortController()
  let isOver = false
  let isReported = false
  let again: NodeJS.Timeout | null = null
  const confirmStop = async (): Promise<void> => {
    const reason = stopSignal.reason as StopReason
    try {
      if (reason !== 'cancelled' || (await runHasEnded(ctx.db, runId))) return stop.abort(reason)
    } catch (error) {
      if (!isReported) ctx.log.error({ runId, err: error }, 'A stop could not be confirmed yet')
      isReported = true
    }
    if (!isOver) again = setTimeout(considerStop, confirmAgainMs)
  }
  const considerStop = (): void => void confirmStop()
  if (stopSignal.aborted) await confirmStop()
  else stopSignal.addEventListener('abort', considerStop, { once: true })
  return {
    signal: stop.signal,
    [Symbol.dispose]() {
      isOver = true
      if (again !== null) clearTimeout(again)
    },
  }
}

function failureOf(problem: ModelProblem): ApplicationFailure {
  return ApplicationFailure.create({
    message: problem.message,
    type: problem.name,
    ...(problem.retryAfterMs === undefined ? {} : { nextRetryDelay: problem.retryAfterMs }),
  })
}
