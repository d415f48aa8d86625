import type { SystemContext } from '../core/context.ts'
import { bySystem, executor } from '../core/authority.ts'
import { isLate, measureTime } from '../core/elapsed-time.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { readConsumeFacts } from '../external/consume-facts.ts'
import { recordOutcome } from '../external/record-execution.ts'
import { lockCallToMake } from './call-to-make.ts'
import { isOpen, recordUnusedPermit } from './consume-gateway-permit.ts'
import { openOutcomeCheck } from './open-outcome-check.ts'
import { storeGatewayRefusal } from './store-gateway-refusal.ts'

/** A call that took its host down twice before it began is not tried again (security.md 27). */
const maxLostTries = 2

const lostTwice =
  'the host of this call was lost twice before it could begin; call again to open a new request'
const lostHost = 'the connection to the server, or to its host, was lost'

/**
 * Settles a gateway call whose activity failed: one that has not begun is to be made again, while
 * its permit is live and fewer than two tries were lost with their host; any other has an unknown
 * effect, is never made a second time, and people are asked. Rejects if it got the lock late:
 * another settlement may have let the call be tried again, and the new try may be making it now.
 * It notices only a wait within this function: if the process stood still before that, a call that
 * is being made becomes `unknown` until it ends.
 */
export async function settleGatewayCall(
  ctx: SystemContext,
  input: { readonly requestId: string; readonly lostTries?: number },
): Promise<{ readonly again: boolean }> {
  const { requestId } = input
  // Anybody with access to Temporal can send anything.
  const lostTries = Number.isSafeInteger(input.lostTries) ? Number(input.lostTries) : 0
  const elapsedMs = measureTime()
  return inUnitOfWork(ctx, bySystem(ctx, executor), async (unit) => {
    const at = await lockCallToMake(unit.tx, requestId)
    if (isLate(elapsedMs)) throw new Error(`Call ${requestId} was read too late to settle it`)
    if (at === null || at.external.outcome !== null) return { again: false }
    if (at.external.consumed_at === null) {
      if (!isOpen(at) || !(await hasLivePermit(unit, requestId))) return { again: false }
      if (lostTries < maxLostTries) return { again: true }
      await storeGatewayRefusal(unit, requestId, 'failed', lostTwice)
      await recordUnusedPermit(unit, at, 'failed')
      return { again: false }
    }
    const detail = { why: lostHost }
    await recordOutcome(unit, at.request, { by: 'gateway', state: 'unknown', detail })
    const policy = await ctx.policies.inForce(unit.tx)
    const checkId = await openOutcomeCheck(unit, policy, at, lostHost)
    await unit.tx
      .updateTable('gateway_call')
      .set({ outcome_check_id: checkId })
      .where('request_id', '=', requestId)
      .execute()
    return { again: false }
  })
}

async function hasLivePermit({ tx }: UnitOfWork, requestId: string): Promise<boolean> {
  const { permit, now } = await readConsumeFacts(tx, requestId)
  return permit?.state === 'live' && permit.expires_at > now
}
