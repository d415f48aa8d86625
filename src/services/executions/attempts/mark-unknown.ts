import type { Caller } from '../../context.ts'
import type { UnitOfWork } from '../../unit-of-work.ts'
import type { CallAtHand } from '../claiming/call-at-hand.ts'

const caller: Caller = { actor: { type: 'system', name: 'executor' }, channel: 'workflow' }

/**
 * The newest attempt was started and nobody knows its end: `unknown`, and the trail says why. `again`: it may be carried
 * out again without a person. The caller holds the run's lock. Throws for a call without an attempt.
 */
export async function markUnknown(
  unit: UnitOfWork,
  { execution, call, run }: CallAtHand,
  why: string,
  then: 'ask' | 'again',
): Promise<void> {
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
    ...caller,
    runId: run.id,
    ...(call.request_id === null ? {} : { requestId: call.request_id }),
    callId: call.id,
    ...(execution.executed_digest === null ? {} : { digest: execution.executed_digest }),
    detail: { attempt: execution.attempt, why, ...(again ? { then } : {}) },
  })
}
