import {
  CancellationScope,
  condition,
  continueAsNew,
  patched,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import type { Rest, RunBeginning, TurnOutcome } from '#domain/runs/workflow-outcomes.ts'
import { databaseActivities } from './activity-proxies.ts'
import { deadlineIn, millisecondsUntil } from './deadline.ts'
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
import { performCalls } from './perform-calls.ts'
import { takeTurn } from './take-turn.ts'
import { beginningOf, closeOutcomeOf, positionOf } from './untrusted.ts'
import { WaitTimer } from './wait-timer.ts'
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
      beginning = beginningOf(await database.beginRun({ runId }))
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

/** An answer that makes no sense was forged. The activity is scheduled again after this time. */
const misunderstoodMs = 5000

interface TurnContext {
  readonly runId: string
  readonly taskQueue: string
  readonly wakeups: Wakeups
  readonly manual: ManualCalls
  readonly listed: ListedRun
  /** a step has a short history: the activity of the last execution also takes the next turn */
  readonly isShort: boolean
  readonly database: ReturnType<typeof databaseActivities>
}

async function takeEveryTurn(taking: TurnContext, first: number): Promise<RunPosition | null> {
  const { runId, taskQueue, wakeups, manual, listed: entry, isShort, database } = taking
  const timer = new WaitTimer(isShort)
  const shouldContinueAsNew = (): boolean =>
    wakeups.tooMany || workflowInfo().continueAsNewSuggested

  // Whether the run's queue is the workflow's own: then a turn that does not follow calls is taken
  // there if a slot is free.
  const isHere = taskQueue === workflowInfo().taskQueue
  let followsCalls = false
  let taken: TurnOutcome | null = null
  for (let turn = first; ;) {
    if (shouldContinueAsNew()) return { runId, turn, taskQueue }
    if (taken === null) wakeups.beginTurn()
    const outcome: TurnOutcome | 'cancelled' | null =
      taken ?? (await takeTurn(taking, { runId, turn }, isHere && !followsCalls))
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
        else if (await rests(closed)) return null
        break
      }
      case 'waiting_for_input':
        manual.addCalls(outcome.manualCalls ?? [])
        if (await rests(outcome)) return null
        break
      case 'calls': {
        const next = isShort ? { runId, turn: turn + 1 } : null
        const performing = { ...taking, timer, next, shouldContinueAsNew }
        const performed = await performCalls(
          performing,
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

    /** As {@link waitForMessage}, and shows the wait in Temporal's list of workflows. */
    async function rests(rest: Partial<Rest> & { readonly queues?: readonly string[] }) {
      if (rest.queues === undefined) entry.show('waiting_for_input')
      else entry.showWait(rest.queues)
      const isOver = await waitForMessage(rest)
      if (!isOver && !shouldContinueAsNew()) entry.show('running')
      return isOver
    }

    /**
     * Waits for a message, or for the end of a conversation's rest, which this timer only proposes.
     * Returns whether the run has ended.
     */
    async function waitForMessage(rest: Partial<Rest>): Promise<boolean> {
      turn = rest.turn ?? turn
      const isWoken = (): boolean => wakeups.saysMessage || shouldContinueAsNew()
      let deadline = deadlineIn(rest.restsForMs ?? null)
      if (deadline === null) await condition(isWoken)
      while (deadline !== null) {
        if (await condition(isWoken, millisecondsUntil(deadline))) return false
        const closed = closeOutcomeOf(await database.closeRun({ runId }))
        if (closed?.kind === 'closed') return true
        if (closed === null) await sleep(misunderstoodMs)
        deadline = closed?.kind === 'rests' ? deadlineIn(closed.restsForMs) : null
      }
      return false
    }
  }
}
