import { condition, sleep } from '@temporalio/workflow'
import type { WaitingForInput } from '#domain/runs/workflow-outcomes.ts'
import type { Activities } from './activity-port.ts'
import { deadlineIn, millisecondsUntil } from './deadline.ts'
import type { ListedRun } from './listed-run.ts'
import { closeOutcomeOf, misunderstoodMs } from './untrusted.ts'
import type { Wakeups } from './wakeups.ts'

/** What a run that waits for a message needs. */
interface RestContext {
  readonly runId: string
  readonly wakeups: Wakeups
  readonly listed: ListedRun
  readonly database: Pick<Activities, 'closeRun'>
  readonly shouldContinueAsNew: () => boolean
}

/**
 * Waits for a message, or until the run should continue as new, and shows the wait in Temporal's
 * list of workflows. Returns whether the run has ended in the meantime.
 */
export async function endsAtRest(
  context: RestContext,
  rest: Pick<WaitingForInput, 'queues' | 'restsForMs'>,
): Promise<boolean> {
  const { listed: entry, shouldContinueAsNew } = context
  if (rest.queues === undefined) entry.show('waiting_for_input')
  else entry.showWait(rest.queues)
  const isOver = await waitForMessage(context, rest.restsForMs ?? null)
  if (!isOver && !shouldContinueAsNew()) entry.show('running')
  return isOver
}

/**
 * Waits for a message, or for the end of a conversation's rest, which this timer only proposes.
 * Returns whether the run has ended.
 */
async function waitForMessage(
  { database, runId, shouldContinueAsNew, wakeups }: RestContext,
  restsForMs: number | null,
): Promise<boolean> {
  const isWoken = (): boolean => wakeups.saysMessage || shouldContinueAsNew()
  let deadline = deadlineIn(restsForMs)
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
