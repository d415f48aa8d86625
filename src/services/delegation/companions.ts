import type { Selectable } from 'kysely'
import type { Tx } from '../../store/database.ts'
import type { RequestTable } from '../../store/tables/requests.ts'
import type { Caller } from '../context.ts'
import { aboutRequest, endRequest } from '../decisions/ending/end-request.ts'
import { revokePermits } from '../decisions/ending/stop-siblings.ts'
import { lockRequests } from '../locks.ts'
import type { UnitOfWork } from '../unit-of-work.ts'

/**
 * The requests of a delegation as it was last asked about, locked by id: its own and those about its attachments. Those
 * of an earlier asking have been superseded. The caller holds the run's lock.
 */
export async function lockDelegation(
  tx: Tx,
  callId: string,
  requestId: string,
): Promise<Selectable<RequestTable>[]> {
  return lockRequests(tx, [requestId, ...(await attachmentIds(tx, callId))])
}

async function attachmentIds(tx: Tx, callId: string): Promise<string[]> {
  const found = await tx
    .selectFrom('request')
    .select('id')
    .where('call_id', '=', callId)
    .where('kind', '=', 'attachment')
    .where('superseded_by', 'is', null)
    .execute()
  return found.map(({ id }) => id)
}

/**
 * Ends what is left of a delegation's requests once one of them has ended it (product.md 23: denying one aborts it):
 * what waits leaves the queue, what was approved loses its permit. The caller holds their locks.
 */
export async function endCompanions(
  unit: UnitOfWork,
  caller: Caller,
  companions: readonly Selectable<RequestTable>[],
  reason: 'delegation_denied' | 'superseded',
): Promise<void> {
  for (const request of companions) {
    if (request.state !== 'pending') continue
    await endRequest(unit, request, { event: 'cancel', reason })
    await unit.audit({
      type: 'request.cancelled',
      ...caller,
      ...aboutRequest(request),
      digest: request.digest,
      detail: { cancelReason: reason },
    })
  }
  await revokePermits(unit, caller, companions, { why: reason })
}

/** Takes the attachments' requests of a delegation's last asking out of the way of a fresh one. */
export async function supersedeAttachments(
  unit: UnitOfWork,
  caller: Caller,
  callId: string,
  by: string,
): Promise<void> {
  const old = await lockRequests(unit.tx, await attachmentIds(unit.tx, callId))
  if (old.length === 0) return
  await endCompanions(unit, caller, old, 'superseded')
  await unit.tx
    .updateTable('request')
    .set({ superseded_by: by })
    .where(
      'id',
      'in',
      old.map(({ id }) => id),
    )
    .execute()
}
