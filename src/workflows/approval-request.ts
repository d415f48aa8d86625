import { condition, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow'
import { databaseActivities } from './activity-proxies.ts'
import { deadlineIn, millisecondsUntil } from './deadline.ts'
import { decided } from './messages.ts'

/** As for a run: after this many signals it continues as new (the server's limit is 10,000). */
const signalsMost = 2000

/**
 * Waits for one request of a program that is no run of ours, and for nothing else. Its timer only proposes that the
 * request has expired; the row disposes. A signal only wakes: whoever sends it, what became of the request is read.
 */
export async function approvalRequest(asked: { readonly requestId: string }): Promise<void> {
  let signals = 0
  let seen = 0
  setHandler(decided, () => {
    signals += 1
  })
  const database = databaseActivities()
  const shouldContinueAsNew = (): boolean =>
    signals >= signalsMost || workflowInfo().continueAsNewSuggested
  for (;;) {
    seen = signals
    const { nextDeadlineMs } = await database.advanceExternal({ requestId: asked.requestId })
    const deadline = deadlineIn(nextDeadlineMs)
    if (deadline === null) return
    await condition(() => signals > seen, millisecondsUntil(deadline))
    if (shouldContinueAsNew()) await continueAsNew<typeof approvalRequest>(asked)
  }
}
