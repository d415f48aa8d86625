import { executor } from '../../core/authority.ts'
import { lockRequests } from '../../core/locks.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { aboutRequest, endRequest } from './end-request.ts'
import { wakeWaiting } from './wake-waiting.ts'

/**
 * Cancels a pending outcome check, because the outcome of its call is known after all, and wakes
 * the workflow that waits for it.
 */
export async function closeCheck(unit: UnitOfWork, checkId: string): Promise<void> {
  const [check] = await lockRequests(unit.tx, [checkId])
  if (check?.state !== 'pending') return
  await endRequest(unit, check, { event: 'cancel', reason: 'settled' })
  await unit.audit({
    type: 'request.cancelled',
    ...executor,
    ...aboutRequest(check),
    digest: check.digest,
    detail: { cancelReason: 'settled' },
  })
  await wakeWaiting(unit, check, [check.id])
}
