import { ActivityFailure, condition } from '@temporalio/workflow'
import type { CallOutcome, CallPlan } from '#domain/runs/workflow-outcomes.ts'
import type { Activities } from './activity-port.ts'
import { type Deadline, deadlineIn, millisecondsUntil } from './deadline.ts'
import { nextDeadlineOf } from './untrusted.ts'
import { type Executing, executeOnce } from './execute-once.ts'
import type { ListedRun } from './listed-state.ts'

/** What performing the calls of a turn needs. */
export interface Performing extends Executing {
  readonly runId: string
  readonly database: Pick<Activities, 'settleUnknown' | 'advanceRequests'>
  /** true when the workflow should continue as new as soon as no activity is in flight */
  readonly shouldContinueAsNew: () => boolean
  /** where waits show in Temporal's list of workflows */
  readonly listed: ListedRun
}

export type TurnEnd = 'all_done' | 'run_ended' | 'continue_as_new'

/**
 * Brings every call of a turn to its result. Calls are performed in the model's order, each waiting
 * for the earlier ones; neighbouring read-only calls run together, and before an earlier sibling
 * that waits for people.
 */
export async function performCalls(
  performing: Performing,
  calls: readonly CallPlan[],
  firstDeadline: Deadline,
): Promise<TurnEnd> {
  const outcomes = new Map<string, CallOutcome>()
  let deadline = firstDeadline

  for (const [index, call] of calls.entries()) {
    if (call.step === 'done') continue
    if (call.step === 'execute' || call.requestId === null) {
      await executeTogether(
        performing,
        call.readOnly ? [call, ...readOnlyAfter(calls, index)] : [call],
        outcomes,
      )
    }
    let outcome = outcomes.get(call.callId) ?? waitingFor(call.requestId)

    while (outcome.kind === 'wait') {
      await executeTogether(performing, readOnlyAfter(calls, index), outcomes)
      deadline = soonest(deadline, deadlineIn(outcome.nextDeadlineMs))
      performing.listed.showWait(outcome.queues ?? queuesFrom(calls, index))
      const woken = await waitFor(performing, outcome.requestIds, deadline)
      if (woken === 'continue_as_new') return 'continue_as_new'
      deadline = woken.deadline
      performing.listed.show('running')
      outcome = await executeOnce(performing, call.callId)
    }
    if (outcome.kind === 'ended') return 'run_ended'
  }
  return 'all_done'
}

/** The queues of a call's request and of those behind it, as the turn was planned. */
function queuesFrom(calls: readonly CallPlan[], index: number): string[] {
  return calls.slice(index).flatMap(({ queue }) => (queue === undefined ? [] : [queue]))
}

function waitingFor(requestId: string | null): CallOutcome {
  return { kind: 'wait', requestIds: requestId === null ? [] : [requestId], nextDeadlineMs: null }
}

/**
 * The read-only calls that may run now: those behind, up to the first call with effects that need
 * not wait.
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
  performing: Performing,
  calls: readonly CallPlan[],
  outcomes: Map<string, CallOutcome>,
): Promise<void> {
  const fresh = calls.filter((call) => !outcomes.has(call.callId))
  await Promise.all(
    fresh.map(async (call) => {
      outcomes.set(call.callId, await executeOnce(performing, call.callId))
    }),
  )
}

function soonest(left: Deadline, right: Deadline): Deadline {
  if (left === null) return right
  return right === null ? left : Math.min(left, right)
}

/**
 * Waits for a signal about these requests against one timer. A deadline only proposes; the store
 * disposes.
 */
async function waitFor(
  performing: Performing,
  requestIds: readonly string[],
  deadline: Deadline,
): Promise<'continue_as_new' | { deadline: Deadline }> {
  const { wakeups } = performing
  const ready = (): boolean => wakeups.concern(requestIds) || performing.shouldContinueAsNew()
  let next = deadline
  if (deadline === null) await condition(ready)
  else if (!(await condition(ready, millisecondsUntil(deadline)))) {
    let advanced: unknown
    try {
      advanced = await performing.database.advanceRequests({ runId: performing.runId })
    } catch (error) {
      // A database activity never fails: the answer was forged, and the store is read again later.
      if (!(error instanceof ActivityFailure)) throw error
    }
    next = deadlineIn(nextDeadlineOf(advanced))
    wakeups.lookAtEverything()
  }
  if (performing.shouldContinueAsNew()) return 'continue_as_new'
  wakeups.lookAt(requestIds)
  return { deadline: next }
}
