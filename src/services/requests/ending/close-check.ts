import { executor } from '../../core/authority.ts'
import { lockRequests } from '../../core/locks.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { cancelPending } from './cancel-requests.ts'
import { wakeWaiting } from './wake-waiting.ts'

/**
 * Cancels a pending outcome check, because the outcome of its call is known after all, and wakes
 * the workflow that waits for it.
 */
export async function closeCheck(unit: UnitOfWork, checkId: string): Promise<void> {
  const [check] = await lockRequests(unit.tx, [checkId])
  if (check?.state !== 'pending') return
  await cancelPending(unit, check, 'settled', { by: executor })
  await wakeWaiting(unit, check, [check.id])
}
