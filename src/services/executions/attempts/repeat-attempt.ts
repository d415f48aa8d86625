import type { UnitOfWork } from '../../unit-of-work.ts'
import { nextAttemptOf, type CallAtHand } from '../claiming/call-at-hand.ts'
import { markUnknown } from './mark-unknown.ts'

/** A call whose host goes down with it every time is put before people after that many attempts. */
const attemptsMost = 3

/**
 * A started attempt of which nobody knows the end, of a tool that a second attempt does no harm (it only reads, or says
 * that it is idempotent), carried out without a person's permit: there is nothing to ask anybody, it may be issued again.
 * Answers false when that is not so. The caller holds the run's lock and has seen that the attempt is `started`.
 */
export async function repeatAttempt(
  unit: UnitOfWork,
  at: CallAtHand,
  why: string,
): Promise<boolean> {
  const { execution } = at
  const mayRepeat =
    execution?.detail?.['repeatable'] === true &&
    execution.permit_id === null &&
    execution.attempt < attemptsMost
  if (!mayRepeat) return false
  await markUnknown(unit, at, why, 'again')
  return true
}

/** The newest attempt was given up and may be repeated without a person: the call is judged as if it were its first. */
export function isRepeated({ execution }: Pick<CallAtHand, 'execution'>): boolean {
  return execution?.settled_then === 'again' && execution.settled_by === null
}

/** The attempt by which a tool knows the one to come: repeated, it is still the first (Tool, `idempotencyKey`). */
export function keyAttemptOf(at: Pick<CallAtHand, 'execution'>): number {
  const { execution } = at
  if (execution === null || !isRepeated(at)) return nextAttemptOf(at)
  const first = execution.detail?.['keyAttempt']
  return typeof first === 'number' ? first : execution.attempt
}
