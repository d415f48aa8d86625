import { sql } from 'kysely'
import { unverifiedReasons } from './refusals.ts'
import type { RefusalReason } from '#domain/requests/request.ts'
import type { Caller } from '../../core/context.ts'
import { lockRequests } from '../../core/locks.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { endPermit } from '../../permits/end-permit.ts'
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
    // So that it is never valid beside that of a new request.
    await endPermit(unit.tx, permitId, reason === 'lapsed' ? 'lapse' : 'revoke')
  }
  await unit.audit({
    type: 'execution.refused',
    ...subject,
    detail: { attempt, reason, check: refusal.detail },
  })
  await requestChanged(unit, at)
  return attempt
}
