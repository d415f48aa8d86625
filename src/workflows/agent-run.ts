import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import { databaseActivities, modelActivities, onceActivities } from './activity-proxies.ts'
import { deadlineIn } from './deadline.ts'
import { untilCancelled } from './execute-once.ts'
import { cancelRequested, decided, messaged } from './messages.ts'
import { performCalls } from './perform-calls.ts'
import type { RunPosition } from './run-position.ts'
import { Wakeups } from './wakeups.ts'

/**
 * One run of a worker. The loop: take a turn (one model step), bring each of its calls to a result, repeat;
 * wait for a message when the run waits for input; close when the model is finished. Postgres decides, this
 * obeys: killed, started again or continued as new anywhere, it reads where it stands and goes on.
 */
export async function agentRun(start: RunPosition): Promise<void> {
  const wakeups = new Wakeups()
  setHandler(decided, (requestIds) => wakeups.decided(requestIds))
  setHandler(messaged, () => wakeups.messaged())
  setHandler(cancelRequested, () => wakeups.cancelRequested())
  // Cancelling the workflow from outside is a signal like any other: it only makes the run look.
  void CancellationScope.current().cancelRequested.catch(() => wakeups.cancelRequested())
  const next = await CancellationScope.nonCancellable(() => takeTurns(start, wakeups))
  if (next !== null) await continueAsNew<typeof agentRun>(next)
}

/** Takes turns until the run has ended (`null`) or should continue as new (its position). */
async function takeTurns(start: RunPosition, wakeups: Wakeups): Promise<RunPosition | null> {
  const { runId } = start
  const database = databaseActivities()
  const begun =
    start.turn === undefined || start.taskQueue === undefined
      ? await database.beginRun({ runId })
      : { ended: false, turn: start.turn, taskQueue: start.taskQueue }
  if (begun.ended) return null

  const { taskQueue } = begun
  const model = modelActivities(taskQueue)
  const once = onceActivities(taskQueue)
  const shouldContinueAsNew = (): boolean =>
    wakeups.tooMany || workflowInfo().continueAsNewSuggested

  for (let turn = begun.turn; ;) {
    if (shouldContinueAsNew()) return { runId, turn, taskQueue }
    wakeups.beginTurn()
    const taken = await takeTurn()
    if (taken === null) continue
    switch (taken.kind) {
      case 'ended':
        return null
      case 'finished': {
        const closed = await database.closeRun({ runId })
        if (closed.kind === 'closed') return null
        turn += 1
        break
      }
      case 'waiting_for_input':
        await condition(() => wakeups.saysMessage || shouldContinueAsNew())
        break
      case 'calls': {
        const performing = { runId, wakeups, once, database, shouldContinueAsNew }
        const end = await performCalls(performing, taken.calls, deadlineIn(taken.nextDeadlineMs))
        if (end === 'run_ended') return null
        if (end === 'continue_as_new') return { runId, turn, taskQueue }
        turn += 1
        break
      }
    }

    async function takeTurn(): Promise<Awaited<ReturnType<typeof model.takeTurn>> | null> {
      try {
        return await untilCancelled(wakeups, () => model.takeTurn({ runId, turn }))
      } catch (error) {
        // Aborted because the run was cancelled: the next look at the store says so.
        if (isCancellation(error)) return null
        throw error
      }
    }
  }
}
