import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import type { RunBeginning } from '../domain/workflow-outcomes.ts'
import { databaseActivities, modelActivities, onceActivities } from './activity-proxies.ts'
import { deadlineIn } from './deadline.ts'
import { untilCancelled } from './execute-once.ts'
import { ManualCalls } from './manual-calls.ts'
import { called, cancelRequested, childEnded, decided, messaged } from './messages.ts'
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
  const manual = new ManualCalls()
  const cancel = (): void => {
    wakeups.cancelRequested()
    manual.wakeups.cancelRequested()
  }
  const ended = (ids: readonly string[]): void => {
    wakeups.decided(ids)
    manual.wakeups.decided(ids)
  }
  setHandler(decided, ended)
  setHandler(childEnded, ended)
  setHandler(called, (callIds) => {
    wakeups.counted()
    manual.called(callIds)
  })
  setHandler(messaged, () => wakeups.messaged())
  setHandler(cancelRequested, cancel)
  // Cancelling the workflow from outside is a signal like any other: it only makes the run look.
  void CancellationScope.current().cancelRequested.catch(cancel)
  const next = await CancellationScope.nonCancellable(() => takeTurns(start, wakeups, manual))
  if (next !== null) await continueAsNew<typeof agentRun>(next)
}

/** Takes turns until the run has ended (`null`) or should continue as new (its position), and makes people's calls. */
async function takeTurns(
  start: RunPosition,
  wakeups: Wakeups,
  manual: ManualCalls,
): Promise<RunPosition | null> {
  const { runId } = start
  const database = databaseActivities()
  const begun: RunBeginning =
    start.turn === undefined || start.taskQueue === undefined
      ? await database.beginRun({ runId })
      : { ended: false, turn: start.turn, taskQueue: start.taskQueue }
  if (begun.ended) return null
  const { turn, taskQueue } = begun
  const once = onceActivities(taskQueue)
  manual.called(begun.manualCalls ?? start.manualCalls ?? [])
  void manual.perform({ runId, once, database }, () => wakeups.messaged())
  const taking = { runId, taskQueue, wakeups, manual, once, database }
  const next = await takeEveryTurn(taking, turn)
  const manualCalls = await manual.close()
  return next === null || manualCalls.length === 0 ? next : { ...next, manualCalls }
}

interface Taking {
  readonly runId: string
  readonly taskQueue: string
  readonly wakeups: Wakeups
  readonly manual: ManualCalls
  readonly once: ReturnType<typeof onceActivities>
  readonly database: ReturnType<typeof databaseActivities>
}

async function takeEveryTurn(taking: Taking, first: number): Promise<RunPosition | null> {
  const { runId, taskQueue, wakeups, manual, once, database } = taking
  const model = modelActivities(taskQueue)
  const shouldContinueAsNew = (): boolean =>
    wakeups.tooMany || workflowInfo().continueAsNewSuggested

  for (let turn = first; ;) {
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
        manual.called(taken.manualCalls ?? [])
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
