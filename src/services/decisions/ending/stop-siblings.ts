import { sql, type Selectable } from 'kysely'
import { permitTransitions, transition } from '../../../domain/transitions.ts'
import type { Tx } from '../../../store/database.ts'
import type { RequestTable } from '../../../store/tables/requests.ts'
import type { Caller } from '../../context.ts'
import type { UnitOfWork } from '../../unit-of-work.ts'
import { lockRequests, lockRun, lockRunAndRequests } from '../../locks.ts'
import type { FoundRequest } from '../../requests/find-request.ts'
import { aboutRequest, endRequest } from './end-request.ts'

/** What a decision may end besides its own request: nothing, the rest of its delegation, or the rest of the turn too. */
export type Reach = 'request' | 'delegation' | 'turn'

/**
 * Locks the run, then a request of it, with those that its decision may end too: all of them in one go and by id, the one
 * order in which everything is locked.
 */
export async function lockWithSiblings(
  tx: Tx,
  { id, runId }: FoundRequest,
  reach: Reach,
): Promise<{
  request: Selectable<RequestTable>
  /** of later calls of the turn */
  later: Selectable<RequestTable>[]
  /** of the same delegation */
  companions: Selectable<RequestTable>[]
}> {
  const alone = reach === 'request'
  if (!alone && runId !== null) await lockRun(tx, runId)
  const ids = [id, ...(alone ? [] : await siblingsWithin(tx, id, reach))]
  const rows =
    !alone || runId === null
      ? await lockRequests(tx, ids)
      : await lockRunAndRequests(tx, sql<string>`${runId}::uuid`, ids)
  const request = rows.find((row) => row.id === id)
  if (request === undefined) throw new Error(`Request ${id} is gone`)
  const others = rows.filter((row) => row.id !== id)
  return {
    request,
    later: others.filter((row) => row.call_id !== request.call_id),
    companions: others.filter((row) => row.call_id === request.call_id),
  }
}

/** Which siblings those are is known once the run is locked. */
async function siblingsWithin(tx: Tx, requestId: string, reach: Reach): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select sibling.id from request
    join request as sibling on sibling.run_id = request.run_id and sibling.turn = request.turn
      and sibling.id <> request.id and (sibling.call_id = request.call_id
        or (${reach === 'turn'} and sibling.position > request.position))
    left join permit on permit.request_id = sibling.id and permit.state = 'live'
    where request.id = ${requestId} and (sibling.state = 'pending' or permit.id is not null)
  `.execute(tx)
  return rows.map((row) => row.id)
}

/**
 * What `then: stop` does besides the denial itself (product.md 8): later siblings that wait leave the queue, and those
 * that were approved lose their live permits. Returns the ids of all of them, for the signal.
 */
export async function stopSiblings(
  unit: UnitOfWork,
  caller: Caller,
  denied: Selectable<RequestTable>,
  later: readonly Selectable<RequestTable>[],
): Promise<string[]> {
  for (const sibling of later) {
    if (sibling.state !== 'pending') continue
    await endRequest(unit, sibling, { event: 'cancel', reason: 'sibling_denied' })
    await unit.audit({
      type: 'request.cancelled',
      actor: caller.actor,
      channel: caller.channel,
      ...aboutRequest(sibling),
      digest: sibling.digest,
      detail: { cancelReason: 'sibling_denied', denied: denied.id },
    })
  }
  await revokePermits(unit, caller, later, { why: 'sibling_denied', denied: denied.id })
  return later.map((sibling) => sibling.id)
}

/** Revokes the live permits of locked requests and records each. Returns how many there were. */
export async function revokePermits(
  unit: UnitOfWork,
  caller: Caller,
  requests: readonly Selectable<RequestTable>[],
  detail: Readonly<Record<string, string>>,
): Promise<number> {
  if (requests.length === 0) return 0
  const state = transition(permitTransitions, 'live', 'revoke') ?? 'revoked'
  const revoked = await unit.tx
    .updateTable('permit')
    .set({ state, ended_at: sql<Date>`clock_timestamp()` })
    .where(
      'request_id',
      'in',
      requests.map((request) => request.id),
    )
    .where('state', '=', 'live')
    .returning(['id', 'request_id'])
    .execute()
  for (const permit of revoked) {
    const request = requests.find((one) => one.id === permit.request_id)
    if (request === undefined) continue
    await unit.audit({
      type: 'permit.revoked',
      actor: caller.actor,
      channel: caller.channel,
      ...aboutRequest(request),
      digest: request.digest,
      detail: { permitId: permit.id, ...detail },
    })
    await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
  }
  return revoked.length
}
