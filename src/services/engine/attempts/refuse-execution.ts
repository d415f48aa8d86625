import { sql } from 'kysely'
import { unverifiedReasons } from './refusals.ts'
import { permitTransitions, transition } from '#domain/requests/transitions.ts'
import type { RefusalReason } from '#domain/requests/request.ts'
import type { Caller } from '../../core/context.ts'
import { lockRequests } from '../../core/locks.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { aboutCall, nextAttemptOf, requestChanged, type CallAtHand } from './call-at-hand.ts'

/** The trail's record of a refused attempt; ids and names of checks only. */
export interface RefusedAttempt {
  readonly reason: RefusalReason
  readonly detail: string
  readonly permitId: string | null
  readonly policyDigest: string | null
}

/**
 * Records that an attempt was refused before it did anything. A verified permit ends with it; one
 * that does not verify stays unchanged, and has an event of its own. The caller holds the run's
 * lock and has checked that no attempt is open. Returns the attempt's number.
 */
export async function refuseExecution(
  unit: UnitOfWork,
  caller: Caller,
  at: CallAtHand,
  refusal: RefusedAttempt,
): Promise<number> {
  const attempt = nextAttemptOf(at)
  const { reason, permitId } = refusal
  const requestId = at.call.request_id
  if (requestId !== null) await lockRequests(unit.tx, [requestId])
  await unit.tx
    .insertInto('execution')
    .values({
      call_id: at.call.id,
      attempt,
      state: 'refused',
      reason,
      request_id: requestId,
      epoch: sql<number>`(select epoch from installation)`,
      finished_at: sql<Date>`clock_timestamp()`,
    })
    .execute()
  const subject = {
    ...caller,
    ...aboutCall(at),
    ...(at.call.digest === null ? {} : { digest: at.call.digest }),
    ...(refusal.policyDigest === null ? {} : { policyDigest: refusal.policyDigest }),
  }
  if (unverifiedReasons.some((unverified) => unverified === reason)) {
    await unit.audit({
      type: 'permit.refused',
      ...subject,
      detail: { permitId, reason, check: refusal.detail },
    })
  } else if (permitId !== null) {
    await endPermit(unit, permitId, reason)
  }
  await unit.audit({
    type: 'execution.refused',
    ...subject,
    detail: { attempt, reason, check: refusal.detail },
  })
  await requestChanged(unit, at)
  return attempt
}

/** The permit of a refused attempt ends, so that it is never valid beside that of a new request. */
async function endPermit(unit: UnitOfWork, permitId: string, reason: RefusalReason): Promise<void> {
  const event = reason === 'lapsed' ? 'lapse' : 'revoke'
  const state = transition(permitTransitions, 'live', event)
  if (state === null) return
  await unit.tx
    .updateTable('permit')
    .set({ state, ended_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', permitId)
    .where('state', '=', 'live')
    .execute()
}
