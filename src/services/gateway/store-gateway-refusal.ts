import type { GatewayRefusal } from '#domain/tools/tool-disposition.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'

/** Stores why an approved call is not made. The caller holds the lock of its request. */
export async function storeGatewayRefusal(
  { tx }: UnitOfWork,
  requestId: string,
  refusal: GatewayRefusal,
  reason: string,
): Promise<void> {
  await tx
    .updateTable('gateway_call')
    .set({ refusal, refusal_reason: reason.slice(0, 4000).toWellFormed() })
    .where('request_id', '=', requestId)
    .execute()
}
