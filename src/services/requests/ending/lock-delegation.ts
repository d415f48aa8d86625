import type { Selectable } from 'kysely'
import type { Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { cancelRequests } from './cancel-requests.ts'
import { lockRequests } from '../../core/locks.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'

/**
 * Locks by id the requests of a delegation's newest attempt: its own and those about its
 * attachments. Those of an earlier attempt have been superseded. The caller holds the run's lock.
 */
export async function lockDelegation(
  tx: Tx,
  callId: string,
  requestId: string,
): Promise<Selectable<RequestTable>[]> {
  return lockRequests(tx, [requestId, ...(await attachmentIds(tx, callId))])
}

async function attachmentIds(tx: Tx, callId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('request')
    .select('id')
    .where('call_id', '=', callId)
    .where('kind', '=', 'attachment')
    .where('superseded_by', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}

/** Supersedes the attachment requests of a delegation's previous attempt. */
export async function supersedeAttachments(
  unit: UnitOfWork,
  callId: string,
  by: string,
): Promise<void> {
  const old = await lockRequests(unit.tx, await attachmentIds(unit.tx, callId))
  if (old.length === 0) return
  await cancelRequests(unit, old, 'superseded')
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
