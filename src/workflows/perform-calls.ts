import { ActivityFailure } from '@temporalio/workflow'
import type { CallOutcome, CallPlan, NextTurn } from '#domain/runs/workflow-outcomes.ts'
import type { Activities, TurnPlace } from './activity-port.ts'
import { type Deadline, deadlineIn } from './deadline.ts'
import { nextDeadlineOf } from './untrusted.ts'
import { type ExecutionContext, executeOnce } from './execute-once.ts'
import type { ListedRun } from './listed-run.ts'
import type { WaitTimer } from './wait-timer.ts'

/** What is needed to perform the calls of a turn. */
export interface PerformContext extends ExecutionContext {
  readonly runId: string
  readonly database: Pick<Activities, 'settleUnknown' | 'advanceRequests'>
  /** shows waits in Temporal's list of workflows */
  readonly listed: ListedRun
  readonly timer: WaitTimer
  /**
   * the turn after these calls, which the activity of the last open call may take; `null` for calls
   * of people and in older histories
   */
  readonly next: TurnPlace | null
}

export type TurnEnd =
  | { readonly end: 'all_done'; readonly nextTurn: NextTurn | null }
  | { readonly end: 'run_ended' | 'continue_as_new' }

/**
 * Brings every call of a turn to its result. Calls are performed in the model's order, each waiting
 * for the earlier ones. Neighbouring read-only calls run together, also before an earlier call that
 * waits for people.
 */
export async function performCalls(
  performing: PerformContext,
  calls: readonly CallPlan[],
  firstDeadline: Deadline,
): Promise<TurnEnd> {
  const { listed: entry, next, wakeups } = performing
  const outcomes = new Map<string, CallOutcome>()
  let deadline = firstDeadline
  let nextTurn: NextTurn | null = null

  for (const [index, call] of calls.entries()) {
    if (call.step === 'done') continue
    if (call.step === 'execute' || call.requestId === null) {
      if (next !== null) entry.show('running')
      const together = call.readOnly ? [call, ...readOnlyAfter(calls, index)] : [call]
      if (together.length > 1) await executeTogether(performing, together, outcomes)
      else if (!outcomes.has(call.callId)) outcomes.set(call.callId, await executeAlone())
    }
    let outcome = outcomes.get(call.callId) ?? waitingFor(call.requestId)

    while (outcome.kind === 'wait') {
      await executeTogether(performing, readOnlyAfter(calls, index), outcomes)
      deadline = soonest(deadline, deadlineIn(outcome.nextDeadlineMs))
      entry.showWait(outcome.queues ?? queuesFrom(calls, index))
      const woken = await waitFor(performing, outcome.requestIds, deadline)
      if (woken === 'continue_as_new') return { end: 'continue_as_new' }
      deadline = woken.deadline
      // The list keeps showing the wait until the run waits for somebody else, rests or ends. This
      // saves two events.
      if (next === null) entry.show('running')
      outcome = await executeAlone()
    }
    if (outcome.kind === 'ended') return { end: 'run_ended' }

    /** Takes the next turn with this call when no later call is open. */
    async function executeAlone(): Promise<CallOutcome> {
      const isLast = calls.slice(index + 1).every((behind) => isDone(behind, outcomes))
      const withTurn = isLast ? next : null
      // Signals from now on may be about the turn that the activity takes.
      if (withTurn !== null) wakeups.beginTurn()
      const executed = await executeOnce(performing, call, withTurn)
      if (withTurn !== null && executed.kind === 'done') nextTurn = executed.nextTurn ?? null
      return executed
    }
  }
  return { end: 'all_done', nextTurn }
}

function isDone(call: CallPlan, outcomes: ReadonlyMap<string, CallOutcome>): boolean {
  return call.step === 'done' || outcomes.get(call.callId)?.kind === 'done'
}

/** The queues of the requests of a call and of the later calls, as the turn was planned. */
function queuesFrom(calls: readonly CallPlan[], index: number): string[] {
  return calls.slice(index).flatMap(({ queue }) => (queue === undefined ? [] : [queue]))
}

function waitingFor(requestId: string | null): CallOutcome {
  return { kind: 'wait', requestIds: requestId === null ? [] : [requestId], nextDeadlineMs: null }
}

/**
 * The read-only calls that may run now: the later calls up to the first one with effects that does
 * not have to wait.
 */
function readOnlyAfter(calls: readonly CallPlan[], index: number): CallPlan[] {
  const readOnlyCalls: CallPlan[] = []
  for (const call of calls.slice(index + 1)) {
    if (call.step !== 'execute') continue
    if (!call.readOnly) break
    readOnlyCalls.push(call)
  }
  return readOnlyCalls
}

/** Executes calls side by side, each once, and remembers their outcomes. */
async function executeTogether(
  performing: PerformContext,
  calls: readonly CallPlan[],
  outcomes: Map<string, CallOutcome>,
): Promise<void> {
  const fresh = calls.filter((call) => !outcomes.has(call.callId))
  await Promise.all(
    fresh.map(async (call) => {
      outcomes.set(call.callId, await executeOnce(performing, call, null))
    }),
  )
}

function soonest(left: Deadline, right: Deadline): Deadline {
  if (left === null) return right
  return right === null ? left : Math.min(left, right)
}

/** Waits for a signal about these requests, or their deadline, which the store judges. */
async function waitFor(
  performing: PerformContext,
  requestIds: readonly string[],
  deadline: Deadline,
): Promise<'continue_as_new' | { deadline: Deadline }> {
  const { wakeups } = performing
  const ready = (): boolean => wakeups.concern(requestIds) || performing.shouldContinueAsNew()
  let next = deadline
  if (!(await performing.timer.wait(ready, deadline))) {
    let advanced: unknown
    try {
      advanced = await performing.database.advanceRequests({ runId: performing.runId })
    } catch (error) {
      // A database activity never fails, so the answer was forged. The store is read again later.
      if (!(error instanceof ActivityFailure)) throw error
    }
    next = deadlineIn(nextDeadlineOf(advanced))
    wakeups.lookAtEverything()
  }
  if (performing.shouldContinueAsNew()) return 'continue_as_new'
  wakeups.lookAt(requestIds)
  return { deadline: next }
}
