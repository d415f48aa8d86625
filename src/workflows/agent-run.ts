import {
  CancellationScope,
  continueAsNew,
  patched,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import type { RunBeginning } from '#domain/runs/workflow-outcomes.ts'
import { databaseActivities } from './activity-proxies.ts'
import { ListedRun } from './listed-run.ts'
import { ManualCalls } from './manual-calls.ts'
import {
  called,
  cancelRequested,
  childEnded,
  decided,
  messaged,
  type RunPosition,
} from './messages.ts'
import { takeEveryTurn, type TurnContext } from './take-every-turn.ts'
import { runBeginningOf, misunderstoodMs, positionOf } from './untrusted.ts'
import { Wakeups } from './wakeups.ts'

/**
 * One run of a worker. The loop takes a turn (one model step), brings each of its calls to a
 * result, waits for a message when the run waits for input, and closes when the model is finished.
 * Postgres decides. A workflow that was killed, started again or continued as new reads its state
 * from there.
 */
export async function agentRun(position: RunPosition): Promise<void> {
  const start = positionOf(position)
  // Somebody started this workflow by hand; no run belongs to it.
  if (start === null) return
  const wakeups = new Wakeups()
  const manual = new ManualCalls()
  // Older runs have a turn of their own, a timer for each wait, and more updates. The patch costs
  // two events and a write of Temporal's list.
  const isShort = start.short === true || patched('turn-with-execution')
  const isFirst = workflowInfo().continuedFromExecutionRunId === undefined
  const entry = new ListedRun(start.listed === true, isShort && isFirst)
  const cancel = (): void => {
    wakeups.cancelRequested()
    manual.wakeups.cancelRequested()
  }
  const wakeEnd = (ids: unknown): void => {
    wakeups.addDecided(ids)
    manual.wakeups.addDecided(ids)
  }
  setHandler(decided, wakeEnd)
  setHandler(childEnded, wakeEnd)
  setHandler(called, (callIds: unknown) => {
    wakeups.countSignal()
    manual.addCalls(callIds)
  })
  setHandler(messaged, () => wakeups.addMessage())
  setHandler(cancelRequested, cancel)
  // Cancelling the workflow from outside only makes the run read the store, as any signal does.
  void CancellationScope.current().cancelRequested.catch(cancel)
  const next = await CancellationScope.nonCancellable(() =>
    takeTurns(start, { wakeups, manual, listed: entry, isShort }),
  )
  if (next !== null) {
    await continueAsNew<typeof agentRun>({
      ...next,
      ...(start.listed === true ? { listed: start.listed } : {}),
      ...(start.short === true ? { short: start.short } : {}),
    })
  }
  entry.show('ended')
}

/**
 * Takes turns until the run has ended (`null`) or should continue as new (its position), and makes
 * people's calls.
 */
async function takeTurns(
  start: RunPosition,
  state: Pick<TurnContext, 'wakeups' | 'manual' | 'listed' | 'isShort'>,
): Promise<RunPosition | null> {
  const { runId } = start
  const { wakeups, manual } = state
  const database = databaseActivities()
  let beginning: RunBeginning | null = null
  if (start.turn === undefined || start.taskQueue === undefined) {
    for (;;) {
      beginning = runBeginningOf(await database.beginRun({ runId }))
      if (beginning !== null) break
      await sleep(misunderstoodMs)
    }
  } else beginning = { ended: false, turn: start.turn, taskQueue: start.taskQueue }
  if (beginning.ended) return null
  const { turn, taskQueue } = beginning
  manual.addCalls(beginning.manualCalls ?? start.manualCalls ?? [])
  void manual.perform({ runId, taskQueue, database }, () => wakeups.addMessage())
  const taking = { ...state, runId, taskQueue, database }
  const next = await takeEveryTurn(taking, turn)
  const manualCalls = await manual.close()
  return next === null || manualCalls.length === 0 ? next : { ...next, manualCalls }
}
