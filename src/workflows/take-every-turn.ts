import {
  condition,
  sleep,
  workflowInfo,
  ActivityFailure,
  isCancellation,
} from '@temporalio/workflow'
import type { TurnOutcome } from '#domain/runs/workflow-outcomes.ts'
import { type databaseActivities, modelActivities, turnHereActivities } from './activity-proxies.ts'
import { deadlineIn } from './deadline.ts'
import { endsAtRest } from './ends-at-rest.ts'
import type { ListedRun } from './listed-run.ts'
import type { ManualCalls } from './manual-calls.ts'
import type { RunPosition } from './messages.ts'
import { performCalls } from './perform-calls.ts'
import { closeOutcomeOf, misunderstoodMs, nextTurnOf, turnOutcomeOf } from './untrusted.ts'
import { WaitTimer } from './wait-timer.ts'
import type { Wakeups } from './wakeups.ts'
import type { TurnPlace } from './activity-port.ts'
import { type ExecutionContext, untilCancelled } from './execute-once.ts'

export interface TurnContext {
  readonly runId: string
  readonly taskQueue: string
  readonly wakeups: Wakeups
  readonly manual: ManualCalls
  readonly listed: ListedRun
  /** a step has a short history: the activity of the last execution also takes the next turn */
  readonly isShort: boolean
  readonly database: ReturnType<typeof databaseActivities>
}

/**
 * Takes one turn after another and brings the calls of each to their results, until the run has
 * ended (`null`) or should continue as new (its position).
 */
export async function takeEveryTurn(
  context: TurnContext,
  first: number,
): Promise<RunPosition | null> {
  const { runId, taskQueue, wakeups, manual, isShort, database } = context
  const timer = new WaitTimer(isShort)
  const shouldContinueAsNew = (): boolean =>
    wakeups.tooMany || workflowInfo().continueAsNewSuggested
  const restContext = { ...context, shouldContinueAsNew }

  // On the workflow's own queue, a turn that follows no calls starts at once on this worker, if it
  // has a free slot.
  const isOwnQueue = taskQueue === workflowInfo().taskQueue
  let followsCalls = false
  let taken: TurnOutcome | null = null
  for (let turn = first; ;) {
    if (shouldContinueAsNew()) return { runId, turn, taskQueue }
    if (taken === null) wakeups.beginTurn()
    const outcome: TurnOutcome | 'cancelled' | null =
      taken ?? (await takeTurn(context, { runId, turn }, isOwnQueue && !followsCalls))
    taken = null
    followsCalls = false
    if (outcome === 'cancelled') continue
    if (outcome === null) {
      await sleep(misunderstoodMs)
      continue
    }
    switch (outcome.kind) {
      case 'ended':
        return null
      case 'finished': {
        const closed = closeOutcomeOf(await database.closeRun({ runId }))
        if (closed?.kind === 'closed') return null
        if (closed?.kind === 'continue') turn += 1
        else if (closed?.kind !== 'rests') await sleep(misunderstoodMs)
        else {
          turn = closed.turn
          if (await endsAtRest(restContext, closed)) return null
        }
        break
      }
      case 'waiting_for_input':
        manual.addCalls(outcome.manualCalls ?? [])
        turn = outcome.turn ?? turn
        if (await endsAtRest(restContext, outcome)) return null
        break
      case 'calls': {
        const next = isShort ? { runId, turn: turn + 1 } : null
        const callContext = { ...context, timer, next, shouldContinueAsNew }
        const performed = await performCalls(
          callContext,
          outcome.calls,
          deadlineIn(outcome.nextDeadlineMs),
        )
        if (performed.end !== 'all_done') {
          return performed.end === 'run_ended' ? null : { runId, turn, taskQueue }
        }
        turn += 1
        followsCalls = true
        const { nextTurn } = performed
        if (nextTurn?.kind !== 'later') taken = nextTurn
        else await condition(() => wakeups.saysCancel, nextTurn.afterMs)
        break
      }
    }
  }
}

/**
 * Schedules the activity that takes a turn. With `isHere` it is scheduled on the workflow's own
 * queue first, where the server can start it with its answer to the workflow task. There it needs a
 * slot for turns. Without a slot, or when it fails, the turn is scheduled on the queue of turns; a
 * turn that was stored is then read back, and not taken twice. `cancelled`: read the store again;
 * `null`: the answer cannot be read.
 */
async function takeTurn(
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
