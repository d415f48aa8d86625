import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { nextAttemptOf, type CallAtHand } from './call-at-hand.ts'
import { markUnknown } from './mark-unknown.ts'

/**
 * A call that failed with its host twice goes to people: there is no third attempt
 * (security.md 27).
 */
const maxAttempts = 2

/**
 * Marks a started attempt whose end nobody knows for another attempt without a person, if its tool
 * only reads or is idempotent and it ran without a permit. False: it may not be repeated. The
 * caller holds the run's lock and has checked that the attempt is `started`.
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
    execution.attempt < maxAttempts
  if (!mayRepeat) return false
  await markUnknown(unit, at, why, 'again')
  return true
}

/**
 * The newest attempt was given up and may be repeated without a person: the call is judged as if it
 * were its first.
 */
export function isRepeated({ execution }: Pick<CallAtHand, 'execution'>): boolean {
  return execution?.settled_then === 'again' && execution.settled_by === null
}

/**
 * The attempt by which a tool knows the one to come: repeated, it is still the first (Tool,
 * `idempotencyKey`).
 */
export function keyAttemptOf(at: Pick<CallAtHand, 'execution'>): number {
  const { execution } = at
  if (execution === null || !isRepeated(at)) return nextAttemptOf(at)
  const first = execution.detail?.['keyAttempt']
  return typeof first === 'number' ? first : execution.attempt
}
