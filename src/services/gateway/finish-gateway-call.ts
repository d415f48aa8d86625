import { canonicalJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { ExternalOutcome } from '#domain/requests/request.ts'
import type { GatewayRefusal } from '#domain/tools/tool-disposition.ts'
import { putContent } from '#store/content/content.ts'
import type { SystemContext } from '../core/context.ts'
import { bySystem, executor } from '../core/authority.ts'
import { lockRequests } from '../core/locks.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { recordOutcome } from '../external/record-execution.ts'
import { closeCheck } from '../requests/ending/close-check.ts'
import { lockCallToMake } from './call-to-make.ts'
import { storeGatewayRefusal } from './store-gateway-refusal.ts'

/**
 * Stores how a gateway call ended, with the server's answer. A late end still replaces `unknown`,
 * until a person has settled it.
 */
export async function finishGatewayCall(
  ctx: SystemContext,
  requestId: string,
  end: {
    readonly state: Exclude<ExternalOutcome, 'unknown'>
    readonly result: JsonObject
    /** why the call did not reach the server; `null`: it did */
    readonly notMade: {
      readonly refusal: GatewayRefusal
      /** for the trail */
      readonly reason: string
      /** the service's own, for the caller */
      readonly words: string
    } | null
  },
): Promise<void> {
  await inUnitOfWork(ctx, bySystem(ctx, executor), async (unit) => {
    const at = await lockCallToMake(unit.tx, requestId)
    if (at === null || at.external.consumed_at === null) return
    const { outcome } = at.external
    if (outcome !== null && outcome !== 'unknown') return
    const { outcome_check_id: checkId } = at.call
    // A settlement holds the lock of the check, and leaves `unknown` where nobody can tell.
    const [check] = await lockRequests(unit.tx, checkId === null ? [] : [checkId])
    if (check?.state === 'approved' || check?.state === 'denied') return
    const { state, notMade } = end
    const resultHash = await putContent(unit.tx, canonicalJson(end.result))
    const reason = notMade === null ? {} : { reason: notMade.reason }
    const detail = { state, output: resultHash, ...reason }
    await recordOutcome(unit, at.request, { by: 'gateway', state, detail })
    await unit.tx
      .updateTable('gateway_call')
      .set({ result_hash: resultHash })
      .where('request_id', '=', requestId)
      .execute()
    if (notMade !== null) {
      await storeGatewayRefusal(unit, requestId, notMade.refusal, notMade.words)
    }
    if (checkId !== null) await closeCheck(unit, checkId)
  })
}
