import { ActivityFailure, condition, isCancellation } from '@temporalio/workflow'
import type { TurnOutcome } from '#domain/runs/workflow-outcomes.ts'
import type { TurnPlace } from './activity-port.ts'
import { modelActivities, turnHereActivities } from './activity-proxies.ts'
import { type ExecutionContext, untilCancelled } from './execute-once.ts'
import { nextTurnOf, turnOutcomeOf } from './untrusted.ts'

/**
 * Has a turn taken. With `isHere`, the workflow's own queue is tried first: the server gives the
 * activity out with the answer to the workflow task, instead of a task of its own. That activity
 * needs a slot for turns. Without one, or when it fails, the turn is taken from the queue of turns,
 * which reads back a turn that was stored. `cancelled`: the store is to be read again; `null`: the
 * answer makes no sense.
 */
export async function takeTurn(
  { wakeups, taskQueue }: Pick<ExecutionContext, 'wakeups' | 'taskQueue'>,
  place: TurnPlace,
  isHere: boolean,
): Promise<TurnOutcome | 'cancelled' | null> {
  const summary = `turn ${place.turn}`
  try {
    if (isHere) {
      const taken = await takeHere()
      if (taken !== 'elsewhere') return taken
    }
    const model = modelActivities(taskQueue, summary)
    return turnOutcomeOf(await untilCancelled(wakeups, () => model.takeTurn(place)))
  } catch (error) {
    // Aborted because the run was cancelled: the next read of the store says so.
    if (isCancellation(error)) return 'cancelled'
    throw error
  }

  async function takeHere(): Promise<TurnOutcome | 'elsewhere' | null> {
    const model = turnHereActivities(taskQueue, summary)
    try {
      const taken = nextTurnOf(await untilCancelled(wakeups, () => model.takeTurn(place)))
      if (taken?.kind !== 'later') return taken
      if (taken.afterMs > 0) await condition(() => wakeups.saysCancel, taken.afterMs)
    } catch (error) {
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
    }
    return 'elsewhere'
  }
}
