import { setTimeout as delay } from 'node:timers/promises'
import type { WorkerContext } from '../../worker-context.ts'
import type { CallAtHand } from '../claiming/call-at-hand.ts'
import { runningHere } from './running-attempts.ts'

/** How often a host whose attempt nobody waits for any more asks whether a person has said `again`. */
export const settlementLookEveryMs = 500

/** Another process has looked and ended what was left by then: it looks, a tool has 2.5 s to end. */
const elsewhereMs = 4000
const hereMs = 10_000

/**
 * Before a call is carried out again: ends what may be left of the attempt before (architecture.md, execution). A tool of
 * this process is ended and waited for; another process ends its own when it sees the settlement, or died with its tools.
 * Answers false when the tool does not end.
 */
export async function endEarlierAttempt(ctx: WorkerContext, at: CallAtHand): Promise<boolean> {
  if (at.execution?.settled_then !== 'again') return true
  if (at.execution.executor !== ctx.executor) {
    await delay(elsewhereMs)
    return true
  }
  const { attempt: earlier } = at.execution
  const left = runningHere(at.call.id).filter(({ attempt }) => attempt <= earlier)
  for (const attempt of left) attempt.end()
  const over = Promise.all(left.map((attempt) => attempt.over)).then(() => true)
  const patience = new AbortController()
  try {
    return await Promise.race([over, delay(hereMs, false, { signal: patience.signal })])
  } finally {
    patience.abort()
  }
}
