import { sql, type Selectable } from 'kysely'
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

/** An attachment request of a delegation's previous attempt. */
export interface ReplacedAttachment {
  readonly id: string
  readonly path: string
  /** the requests that it replaced, the newest first */
  readonly previous: readonly string[]
}

/** Ends the attachment requests of a delegation's previous attempt, which new ones replace. */
export async function endAttachments(
  unit: UnitOfWork,
  callId: string,
): Promise<readonly ReplacedAttachment[]> {
  const old = await lockRequests(unit.tx, await attachmentIds(unit.tx, callId))
  if (old.length === 0) return []
  await cancelRequests(unit, old, 'superseded')
  return unit.tx
    .selectFrom('request')
    .innerJoin('request_revision as shown', (join) =>
      join
        .onRef('shown.request_id', '=', 'request.id')
        .onRef('shown.revision', '=', 'request.revision'),
    )
    .select([
      'request.id',
      'request.previous',
      sql<string>`shown.facts #>> '{bases,0,path}'`.as('path'),
    ])
    .where(
      'request.id',
      'in',
      old.map(({ id }) => id),
    )
    .execute()
}

/**
 * Stores, for each ended attachment request, the id of the request that replaces it: the new one
 * about the same file (`newIds`, by path), or else the request of the call (`callRequestId`).
 */
export async function supersedeAttachments(
  unit: UnitOfWork,
  old: readonly ReplacedAttachment[],
  newIds: ReadonlyMap<string, string>,
  callRequestId: string,
): Promise<void> {
  for (const { id, path } of old) {
    await unit.tx
      .updateTable('request')
      .set({ superseded_by: newIds.get(path) ?? callRequestId })
      .where('id', '=', id)
      .execute()
  }
}
