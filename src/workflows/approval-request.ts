import { continueAsNew, isCancellation, setHandler, workflowInfo } from '@temporalio/workflow'
import type { NextDeadline } from '#domain/runs/workflow-outcomes.ts'
import { databaseActivities, localActivities } from './activity-proxies.ts'
import { type Deadline, deadlineIn } from './deadline.ts'
import { decided, type WaitPosition } from './messages.ts'
import { idOf, nextDeadlineOf } from './untrusted.ts'
import { WaitTimer } from './wait-timer.ts'

/** As for a run: after this many signals it continues as new (the server's limit is 10,000). */
const maxSignals = 2000

/**
 * Waits for one request of a program. The timer only proposes that the request has expired; the row
 * decides. A signal only wakes the workflow, which then reads the row, whatever the signal claims.
 */
export async function approvalRequest(input: WaitPosition): Promise<void> {
  const requestId = idOf(input?.requestId)
  // Somebody started this workflow by hand; no request belongs to it.
  if (requestId === null) return
  let signals = 0
  let handled = 0
  setHandler(decided, () => {
    signals += 1
  })
  const shouldContinueAsNew = (): boolean =>
    signals >= maxSignals || workflowInfo().continueAsNewSuggested
  // Older histories begin without a deadline, and have activities that the server schedules.
  const isShort = input.nextDeadlineMs !== undefined
  const advance = (): Promise<NextDeadline> =>
    isShort ? advanceHere(requestId) : databaseActivities().advanceExternal({ requestId })
  const timer = new WaitTimer(isShort)
  let deadline: Deadline = isShort ? firstDeadline(input) : await readDeadline()
  while (deadline !== null) {
    await timer.wait(() => signals > handled, deadline)
    if (shouldContinueAsNew()) {
      const next = isShort ? { nextDeadlineMs: 0 } : {}
      await continueAsNew<typeof approvalRequest>({ requestId, ...next })
    }
    deadline = await readDeadline()
  }

  async function readDeadline(): Promise<Deadline> {
    handled = signals
    return deadlineIn(nextDeadlineOf(await advance()))
  }
}

/**
 * The deadline that the starter of the workflow read. It counts from the start of the execution, so
 * that it is the same after a reset of the workflow.
 */
function firstDeadline(input: WaitPosition): Deadline {
  const inMs = nextDeadlineOf(input)
  return inMs === null ? null : workflowInfo().startTime.getTime() + inMs
}

/**
 * Advances the request within the workflow task, which saves the server half of its work. The
 * history keeps each failed attempt, so that the server's activity waits for a database that is
 * away.
 */
async function advanceHere(requestId: string): Promise<NextDeadline> {
  try {
    return await localActivities().advanceExternal({ requestId })
  } catch (error) {
    if (isCancellation(error)) throw error
    return databaseActivities().advanceExternal({ requestId })
  }
}
