import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { byProgram } from '../core/authority.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { withdrawRequest } from '../external/withdraw-request.ts'
import { lockCallToMake } from './call-to-make.ts'
import { isOpen, recordUnusedPermit } from './consume-gateway-permit.ts'
import { storeGatewayRefusal } from './store-gateway-refusal.ts'

/**
 * Cancels a client's call: a pending one leaves the queue, an approved one that has not begun is
 * not made any more. A call that has begun, or ended, stays. Rejects with `forbidden` as
 * `withdrawRequest` does.
 */
export async function cancelGatewayCall(
  ctx: ServiceContext,
  caller: Caller,
  requestId: string,
): Promise<void> {
  try {
    await withdrawRequest(ctx, caller, { request: requestId })
    return
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'forbidden') throw error
  }
  await inUnitOfWork(ctx, byProgram(caller), async (unit) => {
    const at = await lockCallToMake(unit.tx, requestId)
    if (at === null || !isOpen({ ...at, isAwaited: true })) return
    await storeGatewayRefusal(unit, requestId, 'cancelled', 'its client cancelled it')
    await recordUnusedPermit(unit, at, 'cancelled')
  })
}
