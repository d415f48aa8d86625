import type { UnitOfWork } from '../../core/unit-of-work.ts'
import type { Tx } from '#store/database.ts'
import { nextAttemptOf, type CallAtHand } from './call-at-hand.ts'
import { markUnknown } from './mark-unknown.ts'

/** A call that failed twice together with its host goes to people (security.md 27). */
const maxRepetitions = 1

/**
 * Lets a call be attempted again without a person, although the end of its started attempt is not
 * known: only if its tool reads only or is idempotent, and the attempt had no permit. Otherwise
 * returns false. The caller holds the run's lock and has checked that the attempt is `started`.
 */
export async function repeatAttempt(
  unit: UnitOfWork,
  at: CallAtHand,
  why: string,
): Promise<boolean> {
  const { execution } = at
  const mayRepeat = execution?.detail?.['repeatable'] === true && execution.permit_id === null
  if (!mayRepeat || (await countRepetitions(unit.tx, at)) >= maxRepetitions) return false
  await markUnknown(unit, at, why, 'again')
  return true
}

/**
 * How often the service attempted the call again by itself. Refused attempts, and those that a
 * person asked for, do not count.
 */
async function countRepetitions(tx: Tx, { call }: CallAtHand): Promise<number> {
  const { count } = await tx
    .selectFrom('execution')
    .select((builder) => builder.fn.countAll<string>().as('count'))
    .where('call_id', '=', call.id)
    .where('settled_then', '=', 'again')
    .where('settled_by', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Whether the newest attempt was given up and may be repeated without a person: the call is judged
 * as before its first attempt.
 */
export function isRepeated({ execution }: Pick<CallAtHand, 'execution'>): boolean {
  return execution?.settled_then === 'again' && execution.settled_by === null
}

/** The attempt number in the tool's `idempotencyKey`: a repeated attempt has that of the first. */
export function keyAttemptOf(at: Pick<CallAtHand, 'execution'>): number {
  const { execution } = at
  if (execution === null || !isRepeated(at)) return nextAttemptOf(at)
  const first = execution.detail?.['keyAttempt']
  return typeof first === 'number' ? first : execution.attempt
}
