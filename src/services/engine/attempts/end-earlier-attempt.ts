import { setTimeout as delay } from 'node:timers/promises'
import type { WorkerContext } from '../../core/worker-context.ts'
import type { CallAtHand } from './call-at-hand.ts'
import { runningHere } from './running-attempts.ts'

/**
 * How often a host polls whether a person has settled an attempt as `again`, once nobody waits for
 * the attempt any more.
 */
export const settlementPollMs = 500

/** By then another process has ended its attempt: a tool has 2.5 s to end. */
const otherHostDelayMs = 4000
const endTimeoutMs = 10_000

/**
 * Ends what may be left of the previous attempt before the call is carried out again
 * (architecture.md, execution). It ends a tool of this process and waits for it; another process
 * ends its own when it sees the settlement, or died with its tools. False when the tool does not
 * end.
 */
export async function endEarlierAttempt(ctx: WorkerContext, at: CallAtHand): Promise<boolean> {
  if (at.execution?.settled_then !== 'again') return true
  if (at.execution.executor !== ctx.executor) {
    await delay(otherHostDelayMs)
    return true
  }
  const { attempt: earlier } = at.execution
  const running = runningHere(at.call.id).filter(({ attempt }) => attempt <= earlier)
  for (const attempt of running) attempt.end()
  const ends = Promise.all(running.map((attempt) => attempt.ended)).then(() => true)
  const timer = new AbortController()
  try {
    return await Promise.race([ends, delay(endTimeoutMs, false, { signal: timer.signal })])
  } finally {
    timer.abort()
  }
}
