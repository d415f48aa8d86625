import { ActivityFailure, condition, isCancellation } from '@temporalio/workflow'
import type { TurnOutcome } from '#domain/runs/workflow-outcomes.ts'
import type { TurnPlace } from './activity-port.ts'
import { modelActivities, turnHereActivities } from './activity-proxies.ts'
import { type ExecutionContext, untilCancelled } from './execute-once.ts'
import { nextTurnOf, turnOutcomeOf } from './untrusted.ts'

/**
 * Schedules the activity that takes a turn. With `isHere` it is scheduled on the workflow's own
 * queue first, where the server can start it with its answer to the workflow task. There it needs a
 * slot for turns. Without a slot, or when it fails, the turn is scheduled on the queue of turns; a
 * turn that was stored is then read back, and not taken twice. `cancelled`: read the store again;
 * `null`: the answer cannot be read.
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
