import { condition, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow'
import { databaseActivities } from './activity-proxies.ts'
import { deadlineIn, millisecondsUntil } from './deadline.ts'
import { decided } from './messages.ts'
import { idOf, nextDeadlineOf } from './untrusted.ts'

/** As for a run: after this many signals it continues as new (the server's limit is 10,000). */
const maxSignals = 2000

/**
 * Waits for one request of a program. The timer only proposes that the request has expired; the row
 * decides. A signal only wakes the workflow, which then reads the row, whatever the signal claims.
 */
export async function approvalRequest(input: { readonly requestId: string }): Promise<void> {
  const requestId = idOf(input?.requestId)
  // Somebody started this workflow by hand; no request belongs to it.
  if (requestId === null) return
  let signals = 0
  let handled = 0
  setHandler(decided, () => {
    signals += 1
  })
  const database = databaseActivities()
  const shouldContinueAsNew = (): boolean =>
    signals >= maxSignals || workflowInfo().continueAsNewSuggested
  for (;;) {
    handled = signals
    const deadline = deadlineIn(nextDeadlineOf(await database.advanceExternal({ requestId })))
    if (deadline === null) return
    await condition(() => signals > handled, millisecondsUntil(deadline))
    if (shouldContinueAsNew()) await continueAsNew<typeof approvalRequest>({ requestId })
  }
}
