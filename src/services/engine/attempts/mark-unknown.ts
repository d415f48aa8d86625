import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { aboutCall, type CallAtHand } from './call-at-hand.ts'
import { executor } from '../../core/authority.ts'

/**
 * Marks the newest attempt, whose end is not known, `unknown`, and records why. `again`: it may be
 * carried out again without a person. The caller holds the run's lock. Throws for a call without an
 * attempt.
 */
export async function markUnknown(
  unit: UnitOfWork,
  at: CallAtHand,
  why: string,
  then: 'ask' | 'again',
): Promise<void> {
  const { execution, call } = at
  if (execution === null) throw new TypeError(`Call ${call.id} has no attempt`)
  const again = then === 'again'
  await unit.tx
    .updateTable('execution')
    .set({ state: 'unknown', reason: why, ...(again ? { settled_then: 'again' } : {}) })
    .where('call_id', '=', call.id)
    .where('attempt', '=', execution.attempt)
    .where('state', '=', 'started')
    .execute()
  await unit.audit({
    type: 'execution.unknown',
    ...executor,
    ...aboutCall(at),
    ...(execution.executed_digest === null ? {} : { digest: execution.executed_digest }),
    detail: { attempt: execution.attempt, why, ...(again ? { then } : {}) },
  })
}
